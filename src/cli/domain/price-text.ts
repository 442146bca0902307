import { count } from '#contract/words/wording.ts'
/** `$20 for 1 year`. */
export const priceText = ({ price, period }: { readonly price: number; readonly period: number }): string =>
  `$${price} for ${count(period, 'year')}`
