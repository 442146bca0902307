export const REDIRECT_STATUSES = [301, 302, 307, 308] as const

export const readRedirectStatus = (text: string): (typeof REDIRECT_STATUSES)[number] => {
  const status = REDIRECT_STATUSES.find((one) => String(one) === text)
  if (status === undefined) throw new TypeError(`"${text}" should be one of ${REDIRECT_STATUSES.join(', ')}`)
  return status
}
