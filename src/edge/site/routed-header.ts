import { headerOf } from '../answer.ts'
import { type Exchange, visitorOf } from '../exchange.ts'
import { forwardedOf, isReserved } from '../function/function-request.ts'

/**
 * A header as the routes of a site see it. What a visitor sends under a name by which the platform says something is as
 * little believed here as by functions: a rule may let in by it.
 */
export function routedHeader(exchange: Exchange, name: string): string | undefined {
  if (!isSaidByPlatform(name)) return headerOf(exchange.question, name)
  const visitor = visitorOf(exchange)
  switch (name) {
    case 'x-real-ip':
    case 'x-forwarded-for':
      return visitor.ip
    case 'x-forwarded-host':
      return visitor.host
    case 'x-forwarded-proto':
      return visitor.scheme
    case 'x-forwarded-port':
      return visitor.port === undefined ? undefined : String(visitor.port)
    case 'forwarded':
      return forwardedOf(visitor)
    default:
      return undefined
  }
}

/** Whether what a visitor sends under this name is not looked at. */
export const isSaidByPlatform = (name: string): boolean =>
  name === 'x-real-ip' || name === 'forwarded' || isReserved(name)
