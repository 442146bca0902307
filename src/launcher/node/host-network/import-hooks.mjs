// For versions of Node whose hooks of `import` are in a thread of their own.
import strayPackage from './stray-package.cjs'

const { isStray, notFound } = strayPackage
let within

export function initialize(data) {
  within = data.within
}

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  if (isStray(specifier, context.parentURL, found.url, within)) throw notFound(specifier, context.parentURL)
  return found
}
