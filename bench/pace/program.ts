/** Sends requests at a steady rate, as a process of its own, and prints what they waited. `bench/pace/pace.ts` starts it. */
import { openDns } from './dns.ts'
import { openHttp1 } from './http1.ts'
import { openHttp2 } from './http2.ts'
import type { Order } from './pace.ts'
import { keepPace } from './schedule.ts'

const { pace, aim } = JSON.parse(process.argv[2] as string) as Order

const paced = await keepPace(pace, (listener) => {
  if ('questions' in aim) return openDns(aim, listener)
  return aim.http2 ? openHttp2(aim, listener) : openHttp1(aim, listener)
})
console.log(JSON.stringify(paced))
process.exit()
