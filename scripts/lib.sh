# What the Action's scripts share: how they end, what they print, and how a zone is run. To be sourced.
# shellcheck shell=bash

# Names are bytes, whatever they are in: in other locales bash swallows what follows one that is no UTF-8, and sort
# drops one that collates like another.
export LC_ALL=C

readonly LOG_BYTES=4000000       # of what one zone prints
readonly STREAM_BYTES=1073741824 # of what one zone hands on
readonly SUMMARY_BYTES=1000000   # GitHub drops a step summary above 1 MiB whole
readonly SAID_LINES=60           # of what a failed zone printed, in the summary
readonly ZONE_SECONDS=1800       # for every zone but collect and one that judges
readonly TELLING_SECONDS=300     # for a zone that tells GitHub
readonly ENDING_SECONDS=60       # for collect to hand on what is there when its time is over
readonly LEFT_SECONDS=60         # after which a container ends by itself, should nobody have ended it
readonly VERSION_SECONDS=120     # for an image to say which version it has
readonly OUR_USER=10001:10001
readonly PIPELINE_USER=10002:10002
readonly PROXIES=(HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY)

# A value in a workflow command.
as_data() {
    local text=${1//'%'/%25}
    text=${text//$'\r'/%0D}
    printf '%s' "${text//$'\n'/%0A}"
}

note() { printf '%s\n' "$*"; }
warn() { printf '::warning title=RAG Assay::%s\n' "$(as_data "$*")"; }

# What a zone prints is data: prefixed, and without what the runner would obey. It also goes to the file $1.
inert() {
    {
        stdbuf -oL head -c "$LOG_BYTES"
        if (($(head -c 1 | wc -c) > 0)); then
            printf '\n(what it prints from here on is not shown)\n'
            cat >/dev/null
        fi
    } |
        # The places of the zone go first: what is left closes up, and could become a command by that.
        sed -u -e 's/[[:cntrl:]]/ /g' -e 's|/work/tree/||g' -e 's/##\[/## [/g' |
        tee "$1" |
        sed -u -e 's/^/│ /'
}

# Whether a stream has a part of this name. Not by grep -q, which ends first: tar would fail for want of a reader.
has_part() { [[ $'\n'$(tar --list --file "$1")$'\n' == *$'\n'"$2"$'\n'* ]]; }

# take_parts STREAM FOLDER [names]: each as bytes, by a name that is known here. Nothing is unpacked.
take_parts() {
    local stream=$1 folder=$2 part
    shift 2
    for part in "$@"; do
        tar --extract --to-stdout --file "$stream" "$part" >"$folder/$part"
    done
}

output() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

# No verdict: $1 is the exit code (2: a mistake that somebody can mend, 4: anything else), the rest says why.
# The step itself succeeds, so that the report is uploaded; the last step ends with the code.
stop() {
    trap - EXIT
    local code=$1 page=${out:+$out/summary.md}
    shift
    printf '::error title=RAG Assay::%s\n' "$(as_data "$*")"
    {
        printf '## ⚠️ RAG Assay: no verdict (exit code %s)\n\n<pre>\n' "$code"
        printf '%s\n' "$*" | as_html
        if [[ -s $said ]]; then
            printf '\n'
            tail -n "$SAID_LINES" "$said" | tail -c 20000 | as_html
        fi
        printf '</pre>\n'
    } | tee -a "$GITHUB_STEP_SUMMARY" >"${page:-/dev/null}"
    output outcome error
    output exit-code "$code"
    publish_failure "$*"
    clean_up
    exit 0
}

as_html() { sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'; }

readonly CERTIFICATES_BYTES=100000 # a variable takes no more than 128 KB

# RAG_ASSAY_CA: the certificates that the machine trusts beside the usual ones, for zones that have a network.
take_certificates() {
    local file=${NODE_EXTRA_CA_CERTS-}
    unset RAG_ASSAY_CA
    [[ -n $file ]] || return 0
    if [[ ! -f $file || ! -r $file ]] || (($(stat -L -c %s "$file") > CERTIFICATES_BYTES)); then
        warn "NODE_EXTRA_CA_CERTS names '$file', which is no file of up to 100 KB: name your own certificates alone"
        return 0
    fi
    RAG_ASSAY_CA=$(<"$file")
    export RAG_ASSAY_CA
}

# Every container, volume and file of this attempt goes, however it ends.
clean_up() {
    remove_labelled "rag-assay.step=$step"
    rm -rf "$temporary"
}

# Containers first: they hold the others.
remove_labelled() {
    local kind
    local -a left
    remove_containers "$1"
    for kind in volume network; do
        mapfile -t left < <(docker "$kind" ls --quiet --filter "label=$1" 2>/dev/null)
        ((${#left[@]} == 0)) || docker "$kind" rm "${left[@]}" >/dev/null 2>&1 || true
    done
}

remove_containers() {
    local -a left
    mapfile -t left < <(docker ps --all --quiet --filter "label=$1" 2>/dev/null)
    ((${#left[@]} == 0)) || docker rm --force "${left[@]}" >/dev/null 2>&1 || true
}

# run_zone NAME IMAGE INPUT OUTPUT [docker's options] -- [the zone's arguments]
# Stops unless the zone exits 0 and hands on no more than it may.
run_zone() {
    local zone=$1 from=$2 input=$3 result=$4 status began=$SECONDS
    local -a options=() reader=(inert "$temporary/$1.said")
    shift 4
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    # What seal finds wrong it quotes, and that is still as collect wrote it.
    case $zone-${tier-} in
        collect-* | seal-*)
            [[ -z ${keys[*]-} ]] || reader=(inert_without "$temporary/$zone.said" "${grants[@]}" -- "${keys[@]}")
            ;;
        score-full)
            [[ -z ${judge_keys[*]-} ]] ||
                reader=(inert_without "$temporary/$zone.said" "${judge_grants[@]}" -- "${judge_keys[@]}")
            ;;
    esac
    said=$temporary/$zone.said
    note "zone $zone"
    mkfifo "$temporary/$zone.log"
    "${reader[@]}" <"$temporary/$zone.log" &
    local reading=$!
    # In the background, so that a signal is acted on at once and not when the zone has ended.
    (
        set +e
        start "$zone" "$from" "${options[@]}" -- action "$@" <"$input" 2>"$temporary/$zone.log" |
            head -c "$((STREAM_BYTES + 1))" >"$result"
        exit "${PIPESTATUS[0]}"
    ) &
    wait "$!" && status=0 || status=$?
    docker rm --force "$name-$zone" >/dev/null 2>&1 || true
    wait "$reading" || true
    if (($(stat -c %s "$result") > STREAM_BYTES)); then
        stop 4 "the zone $zone hands on more than $((STREAM_BYTES >> 20)) MB"
    fi
    # Whatever became of the zone: what was judged was paid for.
    [[ $zone != score ]] || keep_judged "$result"
    # One that has to be killed in the end ends like one that somebody killed.
    ((status != 137 || SECONDS - began < $(seconds_of "$zone"))) || status=124
    case $status in
        0) ;;
        2) stop 2 "the zone $zone found a mistake that has to be mended first" ;;
        124) stop 4 "the zone $zone did not end in time$(hint_at_time "$zone")" ;;
        125 | 127) stop 4 "the zone $zone could not be started (exit code $status)" ;;
        137) stop 4 "the zone $zone was killed; out of memory?" ;;
        *) stop 4 "the zone $zone ended with exit code $status" ;;
    esac
}

hint_at_time() {
    case $1-${tier-} in
        collect-*) printf ' (collect-timeout is %s s, and the pipeline did not let go)' "$ASSAY_COLLECT_TIMEOUT" ;;
        score-full) printf ' (judge-timeout is %s s)' "$ASSAY_JUDGE_TIMEOUT" ;;
    esac
}

seconds_of() {
    case $1-${tier-} in
        *-log-*) printf %s $(($(seconds_of "${1%-log}") + ZONE_SECONDS)) ;; # it ends when what it listens to has ended
        egress-*) printf %s $(($(seconds_of collect) + ZONE_SECONDS)) ;;
        collect-*) printf %s $((ASSAY_COLLECT_TIMEOUT + ENDING_SECONDS)) ;;
        score-full) printf %s "$ASSAY_JUDGE_TIMEOUT" ;;
        version-*) printf %s "$VERSION_SECONDS" ;;
        publish*) printf %s "$TELLING_SECONDS" ;;
        *) printf %s "$ZONE_SECONDS" ;;
    esac
}

# Whether a zone speaks with the network by itself.
goes_out() {
    case $1-${tier-} in
        install-* | fetch-* | keep-* | receive-* | egress-* | publish* | score-full) ;;
        *) return 1 ;;
    esac
}

# A container with no rights, no network (unless the options say so), nothing of this machine and nothing that stays.
start() {
    local zone=$1 from=$2 variable
    local -a options=() without=()
    shift 2
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    [[ " ${options[*]} " == *' --network '* ]] || options+=(--network none)
    [[ " ${options[*]} " == *' --user '* ]] || options+=(--user "$OUR_USER")
    # A machine's proxy is handed to its containers, with the password that may stand in it.
    for variable in "${PROXIES[@]}" "${PROXIES[@],,}"; do
        if ! goes_out "$zone"; then
            without+=(--env "$variable=")
        elif [[ -v $variable && ! ${!variable} =~ (localhost|127\.[0-9]) ]]; then
            without+=(--env "$variable") # one at the machine's own loopback is out of a container's reach
        fi
    done
    [[ ${RUNNER_DEBUG:-} != 1 ]] || options+=(--env RAG_ASSAY_DEBUG=1)
    [[ " ${options[*]} " != *' --network bridge '* || -z ${RAG_ASSAY_CA-} ]] || options+=(--env RAG_ASSAY_CA)
    timeout --foreground --kill-after=30 "$(seconds_of "$zone")" docker run --rm --interactive --init --log-driver none \
        --name "$name-$zone" "${OWN_LABELS[@]}" --stop-timeout 0 \
        --cap-drop=ALL --security-opt=no-new-privileges --read-only \
        --tmpfs /tmp:rw,exec,nosuid,nodev,size=2g,mode=1777 --tmpfs /work:rw,exec,nosuid,nodev,size=4g,mode=1777 \
        --memory "${memory}k" --pids-limit 512 --env HOME=/tmp --env TMPDIR=/tmp \
        --env "RAG_ASSAY_SECONDS=$(($(seconds_of "$zone") + LEFT_SECONDS))" \
        "${without[@]}" "${options[@]}" "$from" "$@"
}

# What a zone prints may hold the keys it was granted: a zone of its own takes them out.
# inert_without FILE [docker's options] -- [the keys]
inert_without() {
    local file=$1
    local -a given=()
    shift
    while [[ $1 != -- ]]; do
        given+=("$1")
        shift
    done
    shift
    start "$zone-log" "$image" "${given[@]}" -- action log "$@" 2>&1 >/dev/null | inert "$file"
}
