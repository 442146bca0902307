/**
 * What a start says on the terminal: that it is ready, in a line that programs wait for, and after it, where somebody
 * looks, the link that has to be opened before anything else.
 */
export const announcement = (baseUrl: string, setupToken: string | undefined): string =>
  `aloft ready ${baseUrl}\n${
    setupToken === undefined
      ? ''
      : `\nAloft is not set up yet. Open this one-time link to create the operator account:\n\n  ${baseUrl}/setup?token=${setupToken}\n\n`
  }`
