import { loggedPath } from '#contract/secret-paths.ts'
import type { Edge } from '#edge/edge.ts'
import type { ListenerOptions } from '#listener/listener.ts'
import type { FastLane } from '#listener/listener-fast-lane.ts'
import type { Handle } from '#listener/listener-request.ts'
import type { CertificateFor } from '#listener/listener-tls.ts'
import type { Config } from '../../../config/config.ts'
import type { Activity } from '../../supervisor/child/activity.ts'
import { answerHttpChallenges, type HttpChallengeParts } from '../../tls/acme/acme-http.ts'
import { redirectToHttps, withoutPlain } from '../../tls/https-redirect.ts'
import { createHostSwitch, upgradesOfSites } from './hosts.ts'
import type { InTurns } from './in-turns.ts'
import { limitUnsent } from './unsent-answers.ts'

interface HandlerParts {
  readonly config: Config
  readonly activity: Activity
  readonly turns: InTurns
  readonly challenges: HttpChallengeParts
  readonly certificateFor: CertificateFor
  readonly api: Handle
  readonly edge: Edge
}

/**
 * The order in which a request of any kind meets the parts of a serving process. `listener/` has accepted the connection
 * and refused what is malformed; what happens to a visitor's request from `edge.handle` on is listed in the same way
 * in edge/visitor-handler.ts.
 */
export function buildHandler({
  config,
  activity,
  turns,
  challenges,
  certificateFor,
  api,
  edge,
}: HandlerParts): Pick<ListenerOptions, 'fastLane' | 'upgrade' | 'handle'> {
  return {
    // Connections come here first: plain GETs of what is in memory are answered on the socket, the rest goes on.
    fastLane: withoutPlain(config, fastLaneOf(edge)),
    // Then requests, which become WebSockets and the like,
    upgrade: upgradesOfSites(config, edge.upgrade),
    // or are answered by the first that has an answer.
    handle: inOrder(
      (next) => turns.handle(next),
      (next) => noteRequests(activity, next),
      (next) => answerHttpChallenges(challenges, next),
      (next) => redirectToHttps(config, certificateFor, next),
      (next) => createHostSwitch({ ...config, api: limitUnsent(api), sites: next }),
      () => edge.handle,
    ),
  }
}

const inOrder = (...steps: readonly ((next: Handle) => Handle)[]): Handle =>
  steps.reduceRight<Handle>(
    (next, step) => step(next),
    () => {
      throw new Error('nobody answers')
    },
  )

export const fastLaneOf = ({ fastPath, fastStreams }: Edge): FastLane => ({
  take: (socket, handOver) => fastPath.take(socket, handOver),
  takeHttp2: (socket, given) => fastPath.takeHttp2(socket, given),
  takeStream: (stream, headers) => fastStreams.take(stream, headers),
  release: (forGood) => fastPath.release(forGood),
})

/** All but what the fast path answers, which is over before anything could stand still. */
export const noteRequests =
  (activity: Activity, handle: Handle): Handle =>
  (req, res) => {
    const { method, url = '', headers } = req
    const host = headers.host ?? headers[':authority'] ?? ''
    activity.begin(`${method} ${host}${loggedPath(url)}`)
    return handle(req, res)
  }
