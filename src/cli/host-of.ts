/** The host of an address, as people copy it from a browser; ids and hosts stay as they are. */
export const hostOf = (text: string): string =>
  URL.parse(/^https?:\/\//i.test(text) ? text : '')?.hostname ?? text
