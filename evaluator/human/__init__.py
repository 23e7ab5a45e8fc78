"""What people say of answers: their labels, how far they agree with one another, and a judge with them."""
