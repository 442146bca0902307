import { AloftError } from '#contract/errors.ts'
import type { Log } from '../ports/log.ts'
import { RegistrarFailure } from '../ports/registrar.ts'
import { unsupported } from './purchasable-name.ts'

export const notAvailable = (name: string) =>
  new AloftError('not_available', `The domain \`${name}\` can’t be bought.`, { name })

export const notTransferable = (name: string, why = 'It cannot be transferred.') =>
  new AloftError('not_transferable', `\`${name}\`: ${why}`, { name })

export const priceMismatch = (price: number | undefined) =>
  new AloftError('price_mismatch', `The price is US$${price} a year.`, { price })

export const silentRegistrar = (cause: unknown) =>
  new AloftError('service_unavailable', 'The registrar isn’t responding. Try again later.', {}, { cause })

/** What a registrar has refused for good; undefined when what became of the request is not known. */
export function refusalOf(error: unknown, name: string): AloftError | undefined {
  if (!(error instanceof RegistrarFailure)) return undefined
  switch (error.reason) {
    case 'unavailable':
      return undefined
    case 'not_available':
      return notAvailable(name)
    case 'price_mismatch':
      return priceMismatch(error.price)
    case 'invalid_auth_code':
      return new AloftError('invalid_auth_code', `The \`authCode\` of \`${name}\` is wrong.`, { name })
    case 'not_transferable':
      return notTransferable(name)
    case 'unsupported':
      return unsupported(name)
  }
}

/** A question to the registrar, which costs nothing and may be asked again. */
export async function ask<T>(log: Log, question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    log.warn({ err: error }, 'the registrar did not respond')
    throw silentRegistrar(error)
  }
}
