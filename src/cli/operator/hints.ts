/** What to try when an operator's endpoint refuses. */
export const operatorHints = {
  forbidden: 'Use the token of an operator: log in as one, or pass it in ALOFT_TOKEN.',
} as const

export const accountHints = {
  ...operatorHints,
  not_found: 'Pass the id, email address, username or slug of the account.',
} as const
