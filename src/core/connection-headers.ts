/** Headers that belong to one connection: whoever passes a message on leaves them out. In lower case. */
export const CONNECTION_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const
