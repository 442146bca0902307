import { COMMANDS as ALIAS } from './alias/commands.ts'
import { COMMANDS as APP } from './app/commands.ts'
import { COMMANDS as AUDIT } from './audit/commands.ts'
import { COMMANDS as BROWSER } from './browser/commands.ts'
import { COMMANDS as CACHE } from './cache/commands.ts'
import { COMMANDS as CERT } from './cert/commands.ts'
import { COMMANDS as CHANGE } from './change/commands.ts'
import type { CommandTable, Entry, Group } from './command-table.ts'
import { COMMANDS as COMPLETION } from './completion/commands.ts'
import { COMMANDS as CRON } from './cron/commands.ts'
import { COMMANDS as DEPLOY } from './deploy/commands.ts'
import { COMMANDS as DEPLOYMENT } from './deployment/commands.ts'
import { COMMANDS as DEV } from './dev/commands.ts'
import { COMMANDS as DNS } from './dns/commands.ts'
import { COMMANDS as DOMAIN } from './domain/commands.ts'
import { COMMANDS as DRAIN } from './drain/commands.ts'
import { COMMANDS as ENV } from './env/commands.ts'
import { COMMANDS as ENVIRONMENT } from './environment/commands.ts'
import { COMMANDS as FILE } from './file/commands.ts'
import { COMMANDS as GIT } from './git/commands.ts'
import { COMMANDS as IMPORT } from './import/commands.ts'
import { COMMANDS as INTEGRATION } from './integration/commands.ts'
import { COMMANDS as KEY } from './key/commands.ts'
import { COMMANDS as OPERATOR } from './operator/commands.ts'
import { COMMANDS as PROJECT } from './project/commands.ts'
import { COMMANDS as RELEASE } from './release/commands.ts'
import { COMMANDS as SECRET } from './secret/commands.ts'
import { COMMANDS as SERVER } from './server/commands.ts'
import { COMMANDS as SESSION } from './session/commands.ts'
import { COMMANDS as TEAM } from './team/commands.ts'
import { COMMANDS as TOKEN } from './token/commands.ts'
import { COMMANDS as USAGE } from './usage/commands.ts'
import { COMMANDS as WEBHOOK } from './webhook/commands.ts'

/** What each kind of thing brings, in the order of the help. */
const TABLES: readonly CommandTable[] = [
  DEPLOY,
  DEV,
  DEPLOYMENT,
  FILE,
  CHANGE,
  SESSION,
  USAGE,
  BROWSER,
  TOKEN,
  KEY,
  TEAM,
  PROJECT,
  RELEASE,
  GIT,
  ENV,
  ENVIRONMENT,
  SECRET,
  ALIAS,
  DOMAIN,
  DNS,
  CERT,
  WEBHOOK,
  CRON,
  CACHE,
  DRAIN,
  IMPORT,
  COMPLETION,
  APP,
  INTEGRATION,
  AUDIT,
  SERVER,
  OPERATOR,
]

/** Words that only lead to commands. */
export const GROUPS: Readonly<Record<string, Group>> = merged(({ groups }) => groups)

/** What is meant where no command is named. */
export const BARE = 'deploy'

/** Every command. Only the one that is asked for is loaded: the rest costs a line of help. */
export const COMMANDS: readonly Entry[] = TABLES.flatMap(({ commands }) =>
  commands.map(([name, summary, load]) => ({ name, summary, load })),
)

/** Other words for groups and commands, as people know them from elsewhere. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...merged(({ synonyms }) => synonyms),
  list: 'ls',
  remove: 'rm',
}

/** The same words, with the names that commands have here. */
export function canonical(typed: readonly string[]): string[] {
  const words = [...typed]
  for (let count = 1; count <= Math.min(words.length, 3); count++) {
    const name = words.slice(0, count).join(' ')
    if (Object.hasOwn(SYNONYMS, name)) words[count - 1] = SYNONYMS[name] as string
  }
  return words
}

const beginsWith = (words: readonly string[], name: string): boolean =>
  name.split(' ').every((word, index) => words[index] === word)

/** The command that the words begin with. No name is the beginning of another. */
export const findEntry = (words: readonly string[]): Entry | undefined =>
  COMMANDS.find(({ name }) => beginsWith(words, name))

/** The name of the command or, failing that, of the innermost group that the words lead to. */
export const knownName = (words: readonly string[]): string | undefined =>
  findEntry(words)?.name ??
  Object.keys(GROUPS)
    .filter((name) => beginsWith(words, name))
    .sort((a, b) => b.length - a.length)[0]

function merged<T>(of: (table: CommandTable) => Readonly<Record<string, T>> | undefined): Record<string, T> {
  return Object.assign({}, ...TABLES.map(of))
}
