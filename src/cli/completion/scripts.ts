import type { Candidate, CompletionNode, Tree } from './tree.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** Text as one word of bash and zsh. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const list = (candidates: readonly Candidate[]): string => quote(candidates.map(({ word }) => word).join(' '))

const paths = ({ places }: Tree): string[] => places.map(({ at }) => at).filter((at) => at !== '')

/** Finds out in `at` how far the words before the cursor lead, in the language of bash and zsh. */
const follow = (tree: Tree, words: string): string => `  local word at='' skip=''
  for word in ${words}; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      ${tree.withValue.join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    case "$at $word" in
      ${paths(tree).map(quote).join('|')}) at="$at $word" ;;
    esac
  done`

const bash = (tree: Tree): string => `# aloft completion for bash. Use it: source <(aloft completion bash)
_aloft() {
${follow(tree, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  local words='' options=''
  case $at in
${tree.places.map((place) => `    ${quote(place.at)}) words=${list(place.words)} options=${list(place.options)} ;;`).join('\n')}
  esac
  local typed="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  [[ -n $skip ]] && return
  [[ $typed == -* ]] && words=$options
  [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$typed")
}
complete -o default -F _aloft aloft
`

/** In zsh, what a word means comes after a colon. */
const described = (candidates: readonly Candidate[]): string =>
  candidates.map(({ word, about }) => quote(`${word}:${about.replaceAll(':', '\\:')}`)).join(' ')

const zsh = (tree: Tree): string => `#compdef aloft
# aloft completion for zsh. Use it: source <(aloft completion zsh)
_aloft() {
${follow(tree, `"\${(@)words[2,CURRENT-1]}"`)}
  local -a commands options
  case $at in
${tree.places.map((place) => `    ${quote(place.at)}) commands=(${described(place.words)}) options=(${described(place.options)}) ;;`).join('\n')}
  esac
  if [[ -z $skip && \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif [[ -z $skip ]] && (( \${#commands} )); then
    _describe command commands
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _aloft ]]; then _aloft "$@"; else compdef _aloft aloft; fi
`

const fishQuote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

const fishLines = (candidates: readonly Candidate[]): string =>
  `printf '%s\\t%s\\n' ${candidates.map(({ word, about }) => `${fishQuote(word)} ${fishQuote(about)}`).join(' ')}`

const fishCases = (
  places: readonly CompletionNode[],
  pick: (place: CompletionNode) => readonly Candidate[],
): string =>
  places
    .filter((place) => pick(place).length > 0)
    .map((place) => `    case ${fishQuote(place.at)}\n      ${fishLines(pick(place))}`)
    .join('\n')

const fish = (tree: Tree): string => `# aloft completion for fish. Use it: aloft completion fish | source
function __aloft_at
  set -l at ''
  set -l skip ''
  set -l typed (commandline -opc)
  for word in $typed[2..]
    if test -n "$skip"
      set skip ''
      continue
    end
    switch "$word"
      case ${tree.withValue.join(' ')}
        set skip 1
        continue
      case '-*'
        continue
    end
    switch "$at $word"
      case ${paths(tree).map(fishQuote).join(' ')}
        set at "$at $word"
    end
  end
  # The value of an option is nothing that is known here.
  test -n "$skip"; and set at -
  echo "$at"
end
function __aloft_leads_on
  contains -- (__aloft_at) ${tree.places
    .filter(({ words }) => words.length > 0)
    .map(({ at }) => fishQuote(at))
    .join(' ')}
end
function __aloft_words
  switch (__aloft_at)
${fishCases(tree.places, ({ words }) => words)}
  end
end
function __aloft_options
  switch (__aloft_at)
${fishCases(tree.places, ({ options }) => options)}
  end
end
complete -c aloft -n __aloft_leads_on -f
complete -c aloft -a '(__aloft_words)'
complete -c aloft -n 'string match -q -- "-*" (commandline -ct)' -a '(__aloft_options)'
`

const SCRIPTS = { bash, zsh, fish } as const satisfies Record<Shell, (tree: Tree) => string>

/** A script that completes what is typed, without asking anybody: starting Node for every key would be slow. */
export const completionScript = (shell: Shell, tree: Tree): string => SCRIPTS[shell](tree)
