import { senderOf } from '#core/access/sender.ts'
import { HTTP_CHALLENGES } from '#core/certificate/challenge.ts'
import { type AnyRequest, type AnyResponse, isHttp2 } from '#core/http-message.ts'
import type { FastLane } from '#listener/listener-fast-lane.ts'
import type { Handle } from '#listener/listener-request.ts'
import type { CertificateFor } from '#listener/listener-tls.ts'
import type { Config } from '../../config/config.ts'
import { createIsForApi, hostOf } from '../compose/serving/hosts.ts'
import { platformCertificate, readServerName } from './tls-names.ts'

type RedirectConfig = Pick<Config, 'httpsRedirect' | 'tlsPort' | 'acmeDirectory' | 'domain' | 'apiHosts'>

/** Whether visitors who come by plain HTTP are sent on: only where browsers will like what they find. */
export const redirectsToHttps = ({ httpsRedirect, tlsPort, acmeDirectory }: RedirectConfig): boolean =>
  tlsPort !== 0 &&
  (httpsRedirect === 'on' || (httpsRedirect === 'auto' && tlsPort === 443 && acmeDirectory !== undefined))

/** Sends visitors of custom hosts that have a certificate from HTTP to HTTPS. */
export function redirectToHttps(
  config: RedirectConfig,
  certificateFor: CertificateFor,
  next: Handle,
): Handle {
  if (!redirectsToHttps(config)) return next
  const isForApi = createIsForApi(config)
  const port = config.tlsPort === 443 ? '' : `:${config.tlsPort}`

  const customHost = (req: AnyRequest): string | undefined => {
    const url = req.url ?? ''
    if (senderOf(req).isSecure || !url.startsWith('/') || url.startsWith(HTTP_CHALLENGES)) return undefined
    if (req.headers.upgrade !== undefined || isForApi(req)) return undefined
    const host = readServerName(hostOf(req))
    return host === undefined || platformCertificate(host, config.domain.toLowerCase()) ? undefined : host
  }

  /** What is shown to those who ask for nothing in particular is no certificate of this host. */
  async function hasCertificate(host: string): Promise<boolean> {
    try {
      return (await certificateFor(host)) !== (await certificateFor(undefined))
    } catch {
      return false
    }
  }

  return (req, res) => {
    const host = customHost(req)
    if (host === undefined) return next(req, res)
    return hasCertificate(host).then((has) =>
      has ? redirect(res, `https://${host}${port}${req.url}`) : next(req, res),
    )
  }
}

function redirect(res: AnyResponse, location: string): void {
  const headers = { location, 'content-length': 0 }
  if (isHttp2(res)) res.writeHead(308, headers).end()
  else res.writeHead(308, headers).end()
}

/** Plain connections are left to those who can redirect them. */
export const withoutPlain = (config: RedirectConfig, lane: FastLane): FastLane =>
  redirectsToHttps(config)
    ? {
        ...lane,
        take: (socket, handOver) => ('encrypted' in socket ? lane.take(socket, handOver) : handOver(socket)),
      }
    : lane
