import { invalidRequest } from '#contract/errors.ts'

/** PostgreSQL cannot hold U+0000 in a text. Refusing it on every database keeps them alike. */
export function refuseNul(parameters: readonly unknown[]): void {
  for (const parameter of parameters)
    if (typeof parameter === 'string' && parameter.includes('\0'))
      throw invalidRequest('text should not contain the character U+0000')
}
