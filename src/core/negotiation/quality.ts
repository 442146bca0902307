const IS_WEIGHT = /^\s*q\s*=/i
const WEIGHT = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i

/**
 * How much a client likes what these parameters stand behind, in a header such as Accept: from 0, not at all, to 1, which
 * is also what nothing said means. A weight that is not one refuses: a client that cannot say it cannot be trusted with it.
 */
export function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters)
    if (IS_WEIGHT.test(parameter)) return Number(WEIGHT.exec(parameter)?.[1] ?? 0)
  return 1
}
