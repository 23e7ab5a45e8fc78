# The network of the pipeline: none, one that the workflow names, or one whose only way out is our own proxy. To be sourced.
# shellcheck shell=bash

readonly PROXY_PORT=3128
readonly OPENING_TRIES=150 # of a fifth of a second each
readonly LOCAL=localhost,127.0.0.1,::1

# network: what docker calls it; way_out: what collect has to be told of it.
open_network() {
    network=$ASSAY_NETWORK way_out=() seen=()
    case $network in
        none | host | bridge) ;;
        egress) open_egress ;;
        *)
            docker network inspect "$network" >/dev/null 2>&1 ||
                stop 2 "the input network is '$network', and docker has no network of that name: it takes none, egress, a network that is there, or host"
            ;;
    esac
}

# A network without a way out, also for names: no address of this machine is in it, and nothing in it answers for others.
make_network() {
    local -a plain=(docker network create --internal "${OWN_LABELS[@]}")
    "${plain[@]}" --disable-dns "$1" >/dev/null 2>&1 || # podman
        "${plain[@]}" --opt com.docker.network.bridge.inhibit_ipv4=true "$1" >/dev/null ||
        stop 4 "docker cannot make a network"
}

open_egress() {
    local t=$temporary address variable
    network=$name
    make_network "$network"
    mkfifo "$t/egress.in" "$t/egress.log"
    : >"$t/egress.said"
    inert "$t/egress.said" <"$t/egress.log" &
    start egress "$image" --network bridge -- action egress "${egress_hosts[@]}" \
        <"$t/egress.in" >/dev/null 2>"$t/egress.log" &
    # It listens until this end is closed, which is when this script ends, however it does.
    exec {egress_open}>"$t/egress.in"
    retry docker network connect "$network" "$name-egress"
    address=$(docker inspect --format "{{(index .NetworkSettings.Networks \"$network\").IPAddress}}" "$name-egress")
    printf '%s\n' "$address" >&"$egress_open"
    retry grep --quiet '^listening' "$t/egress.said"
    for variable in HTTP_PROXY HTTPS_PROXY http_proxy https_proxy; do
        way_out+=(--env "$variable=http://$address:$PROXY_PORT")
        seen+=(--grant "$variable")
    done
    way_out+=(--env "NO_PROXY=$LOCAL" --env "no_proxy=$LOCAL")
    seen+=(--grant NO_PROXY --grant no_proxy)
    # By IPv6 each interface gives itself an address: the bridge's would be one of this machine in the network.
    [[ ! -e /proc/sys/net/ipv6 ]] || way_out+=(--sysctl net.ipv6.conf.all.disable_ipv6=1)
}

retry() {
    local -i tries
    for ((tries = 0; tries < OPENING_TRIES; tries++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.2
    done
    said=$temporary/egress.said
    stop 4 "the way out of the pipeline's network does not open"
}

# Nothing needs it any more; what was refused is in the log by then.
close_network() {
    [[ -v egress_open ]] || return 0
    exec {egress_open}>&-
    docker rm --force "$name-egress" >/dev/null 2>&1 || true
    docker network rm "$network" >/dev/null 2>&1 || true
}
