/** Where contents are kept in an object store. */
export interface Location {
  /** What requests are sent to; its path ends with a slash. */
  readonly base: URL
  readonly region: string
  /** Goes before every key; empty, or ends with a slash. */
  readonly prefix: string
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const REGION = /^[a-z0-9-]{1,40}$/
const PREFIX = /^[A-Za-z0-9!_.*'()/-]{0,200}$/

/**
 * Reads `s3://bucket/prefix?endpoint=…&region=…`. Without an endpoint it is Amazon's, which wants the bucket in the host
 * name; all others take it in the path. Throws what is accepted instead.
 */
export function readLocation(text: string): Location {
  const { hostname: bucket, pathname, searchParams, username, password } = new URL(text)
  const region = searchParams.get('region') ?? 'us-east-1'
  const endpoint = searchParams.get('endpoint')
  const unknown = [...searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region')
  if (unknown !== undefined) throw new Error(`the parameters endpoint and region, not ${unknown}`)
  if (username !== '' || password !== '')
    throw new Error(
      'no credentials in the address: they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  if (!BUCKET.test(bucket))
    throw new Error('a bucket name of 3 to 63 lower-case letters, digits, dots and dashes')
  if (!REGION.test(region)) throw new Error('a region such as eu-central-1')
  const prefix = decoded(pathname).replace(/^\/+|\/+$/g, '')
  if (!PREFIX.test(prefix)) throw new Error("a prefix of letters, digits and /!_.*'()-")
  return { base: baseOf(bucket, region, endpoint), region, prefix: prefix === '' ? '' : `${prefix}/` }
}

/** `%` is no part of a prefix, and stands for what cannot be decoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '%'
  }
}

function baseOf(bucket: string, region: string, endpoint: string | null): URL {
  if (endpoint === null) {
    // A certificate covers one label: a bucket with dots can only be in the path.
    const ofRegion = `s3.${region}.amazonaws.com`
    return new URL(bucket.includes('.') ? `https://${ofRegion}/${bucket}/` : `https://${bucket}.${ofRegion}/`)
  }
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (
    url === undefined ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.search !== '' ||
    url.username !== ''
  )
    throw new Error('an endpoint such as https://s3.example.com')
  return new URL(`${url.pathname.replace(/\/+$/, '')}/${bucket}/`, url)
}
