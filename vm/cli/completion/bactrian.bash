# bash completion of bactrian: `bactrian complete` knows the words (vm/cli/complete.c).
_bactrian() {
    local line=${COMP_LINE:0:COMP_POINT} words current word
    read -ra words <<<"$line"
    [[ $line != *[[:blank:]] ]] || words+=("")
    current=${words[-1]}
    # bash replaces what follows the equals sign
    [[ $current != --*=* ]] || current=${current#*=}
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        case $word in
        :files)
            compopt -o filenames
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
            ;;
        :folders)
            compopt -o filenames
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current")
            ;;
        --*=*) COMPREPLY+=("${word#*=}") ;;
        *) COMPREPLY+=("$word") ;;
        esac
    done < <("${words[0]/#\~/$HOME}" complete "${words[@]:1}" 2>/dev/null)
}
complete -F _bactrian bactrian
