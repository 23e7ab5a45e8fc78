"""RAG Assay: gate pull requests on the measured quality of a retrieval-augmented system."""

__version__ = "0.1.0"
