import * as api from '#contract/api/certificate.ts'
import { PAGE_LIMIT } from '#contract/page.ts'
import { readCertificateName } from '#core/certificate/certificate-name.ts'
import type { Certificates } from '#core/certificate/certificates.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import * as earliest from './earliest.ts'

export function certificateRoutes(certificates: Certificates): readonly Route[] {
  return [
    route(api.listCertificates, async (ctx, { query }) =>
      current.certificates(await certificates.list(ctx, { limit: PAGE_LIMIT.older, ...query })),
    ),
    route(api.getCertificate, async (ctx, { params }) =>
      current.certificate(await certificates.find(ctx, params.id)),
    ),
    route(api.issueCertificate, async (ctx, { body }) => current.stored(await certificates.issue(ctx, body))),
    route(api.uploadCertificate, async (ctx, { body }) =>
      current.stored(await certificates.upload(ctx, body)),
    ),
    route(api.deleteCertificate, async (ctx, { params }) => {
      await certificates.delete(ctx, params.id)
      return undefined
    }),

    route(api.earliest.listCertificates, async (ctx, { query }) =>
      earliest.entries(await certificates.list(ctx, { limit: PAGE_LIMIT.older, ...query })),
    ),
    route(api.earliest.getCertificates, async (ctx, { params }) =>
      earliest.named(await certificates.findByName(ctx, params.cn), readCertificateName(params.cn)),
    ),
    route(api.earliest.issueCertificate, async (ctx, { body }) =>
      current.stored(await certificates.issue(ctx, body)),
    ),
    route(api.earliest.uploadCertificate, async (ctx, { body }) =>
      current.stored(await certificates.upload(ctx, body)),
    ),
    route(api.earliest.deleteCertificate, async (ctx, { params }) => {
      await certificates.deleteNamed(ctx, params.cn)
      return undefined
    }),
  ]
}
