# fish completion of bactrian: `bactrian complete` knows the words (vm/cli/complete.c).
function __bactrian_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
            case ':folders'
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- "$current")
            case '*'
                echo $line
        end
    end
end
complete -c bactrian -f -a '(__bactrian_words)'
