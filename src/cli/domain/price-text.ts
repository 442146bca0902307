/** `$20 for 1 year`. */
export const priceText = ({ price, period }: { readonly price: number; readonly period: number }): string =>
  `$${price} for ${period} ${period === 1 ? 'year' : 'years'}`
