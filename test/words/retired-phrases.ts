export type Place = 'dashboard' | 'pages' | 'mails' | 'cli' | 'docs'

export interface Retired {
  /** What is not said any more. */
  readonly phrase: string
  /** What is said instead. */
  readonly use: string
  /** Only as a whole label or button: the words are fine within a sentence. */
  readonly whole?: true
  /** Where it is looked for; everywhere unless given. */
  readonly in?: readonly Place[]
}

const BROWSER: readonly Place[] = ['dashboard', 'pages']

/** Phrases that read like a literal translation, and what docs/words.md says in their place. */
export const RETIRED: readonly Retired[] = [
  { phrase: 'Look again', use: 'Refresh' },
  { phrase: 'Half within', use: 'Median (p50)' },
  { phrase: '95 % within', use: 'p95 latency' },
  { phrase: '99 % within', use: 'p99 latency' },
  { phrase: 'Not found and the like', use: 'Client errors (4xx)' },
  { phrase: '2xx: well', use: '2xx success' },
  { phrase: '3xx: elsewhere', use: '3xx redirect' },
  { phrase: 'Visits and lines', use: 'Requests and output' },
  { phrase: 'Lines of programs', use: 'Output' },
  { phrase: 'All that is kept', use: 'All time' },
  { phrase: 'Bytes sent', use: 'Data transfer' },
  { phrase: 'Sent', use: 'Data transfer', whole: true, in: ['dashboard'] },
  { phrase: 'By what was answered', use: 'By status code' },
  { phrase: 'For everybody', use: 'All targets' },
  { phrase: 'In any state', use: 'Any status' },
  { phrase: 'Of every project', use: 'All projects' },
  { phrase: 'Not from git', use: 'No Git metadata' },
  { phrase: 'Ready after', use: 'Build time' },
  { phrase: 'About it', use: 'Details', whole: true },
  { phrase: 'Nothing is sent yet', use: 'You’ll review it before anything is uploaded' },
  { phrase: 'Only what is not here already', use: 'Only new files are uploaded' },
  { phrase: 'For whom', use: 'Target', whole: true },
  { phrase: 'It is live', use: 'Your site is live' },
  { phrase: 'To the project', use: 'Go to project', whole: true },
  { phrase: 'Take an offered project', use: 'Accept a transfer' },
  { phrase: 'Give to another account', use: 'Transfer project' },
  { phrase: 'Offer the project', use: 'Transfer project' },
  { phrase: 'Changed last', use: 'Last updated' },
  { phrase: 'goes before this', use: 'takes precedence' },
  { phrase: 'Holds at once', use: 'Takes effect immediately' },
  { phrase: 'It holds from now on', use: 'Takes effect immediately' },
  { phrase: 'When not to build', use: 'Ignored build step' },
  { phrase: 'find in their environment', use: 'Available to builds and functions' },
  { phrase: 'Do', use: 'Actions', whole: true, in: BROWSER },
  { phrase: 'renewed by itself', use: 'auto-renews' },
  { phrase: 'By itself', use: 'Automatic', whole: true },
  { phrase: 'Show that it is yours', use: 'Verify ownership', in: ['dashboard', 'pages', 'mails', 'docs'] },
  { phrase: 'Does it work?', use: 'Status' },
  { phrase: 'Is it free?', use: 'Check availability' },
  { phrase: 'Issue one', use: 'Issue certificate', whole: true },
  { phrase: 'Bring one', use: 'Upload certificate', whole: true },
  { phrase: 'Bring a certificate', use: 'Upload certificate' },
  { phrase: 'Buy one', use: 'Buy domain', whole: true },
  { phrase: 'Transfer one in', use: 'Transfer in' },
  { phrase: 'Ours', use: 'Aloft', whole: true, in: BROWSER },
  { phrase: 'Others', use: 'External', whole: true, in: BROWSER },
  { phrase: 'Nobody is told yet', use: 'No webhooks yet' },
  { phrase: 'Logs stay here', use: 'No log drains yet' },
  { phrase: 'Made', use: 'Created', whole: true, in: BROWSER },
  { phrase: 'Make the token', use: 'Create token' },
  { phrase: 'Make the webhook', use: 'Create webhook' },
  { phrase: 'Make the drain', use: 'Create log drain' },
  { phrase: 'Make the team', use: 'Create team' },
  { phrase: 'Make a backup', use: 'Create backup', in: BROWSER },
  { phrase: 'Here since', use: 'Joined' },
  { phrase: 'Browsers', use: 'Sessions', whole: true, in: BROWSER },
  { phrase: 'Run by the clock', use: 'Scheduled jobs' },
  { phrase: 'Failed for good', use: 'Dead jobs' },
  { phrase: 'All is well', use: 'All systems operational', in: BROWSER },
  { phrase: 'until you go on', use: 'until you resume' },
  {
    phrase: 'Secrets for programs',
    use: 'Automation bypass secrets',
    in: ['dashboard', 'pages', 'mails', 'docs'],
  },
  { phrase: 'Who is not listed', use: 'Everyone else' },
  { phrase: 'This is not here', use: 'Not found' },
  { phrase: 'Nothing is called that', use: 'No results' },
  { phrase: 'Like the system', use: 'System' },
  { phrase: 'is on its way', use: 'Building…', in: BROWSER },
  { phrase: 'Go on', use: 'Continue', whole: true },
  { phrase: 'Become the operator', use: 'Create operator account' },
  { phrase: 'Nothing is like this', use: 'No matching …' },
  { phrase: 'is like this', use: 'No matching …', in: BROWSER },
  { phrase: 'Nobody visited', use: 'No requests', in: BROWSER },
  { phrase: 'Nobody has visited', use: 'No requests', in: BROWSER },
  { phrase: 'This cannot be taken back', use: 'This can’t be undone' },
  { phrase: 'Whoever operates', use: 'your operator', in: BROWSER },
  { phrase: 'whoever operates', use: 'your operator', in: BROWSER },
  { phrase: 'e-mail', use: 'email', in: BROWSER },
  { phrase: 'E-mail', use: 'Email', in: BROWSER },
  { phrase: 'small letters', use: 'lowercase letters', in: BROWSER },
  { phrase: 'Small letters', use: 'Lowercase letters', in: BROWSER },
  { phrase: 'Show older', use: 'Load more' },
  { phrase: 'under way', use: 'in progress', in: ['dashboard'] },
  { phrase: 'of those that', use: 'say which', in: ['dashboard'] },
  { phrase: 'Mend', use: 'Fix', in: BROWSER },
  { phrase: 'Deployment is on its way', use: 'Building…' },
  { phrase: 'try:', use: 'hint:', in: ['cli'] },
  { phrase: 'You did not agree', use: 'Cancelled', in: ['cli'] },
  { phrase: 'You stopped watching', use: 'Detached; the build continues', in: ['cli'] },
  { phrase: 'is built all the same', use: 'Detached; the build continues', in: ['cli'] },
  { phrase: 'switched off', use: 'disabled', in: ['mails', 'dashboard'] },
  { phrase: 'make it anew', use: 'create it again' },
  { phrase: 'Go on only', use: 'Continue only' },
  { phrase: 'this mail', use: 'this email', in: ['mails'] },
  // Where nothing is installed it would ask a registry for a package of that name.
  { phrase: 'npx aloft', use: 'aloft', in: BROWSER },
]

/** Marks that no sentence has: a full stop after one, and a space before an ellipsis. */
export const SLIPS: readonly { readonly pattern: RegExp; readonly says: string }[] = [
  { pattern: /[A-Za-z]\.\.(?![./])/, says: 'two full stops' },
  { pattern: /[A-Za-z] …(?=['"`<])/, says: 'a space before an ellipsis' },
]
