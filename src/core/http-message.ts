import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/** A request of either protocol, as Node hands it over. */
export type AnyRequest = IncomingMessage | Http2ServerRequest

export type AnyResponse = ServerResponse | Http2ServerResponse

export const isHttp2 = (res: AnyResponse): res is Http2ServerResponse => 'stream' in res
