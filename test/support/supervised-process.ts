import { channelToSupervisor } from '#src/process/supervisor/channel/channel.ts'
import { READY } from '#src/process/supervisor/child/child.ts'
import { openDoing } from '#src/process/supervisor/child/doing.ts'
import { answerHeartbeat } from '#src/process/supervisor/child/heartbeat.ts'

/** A process of the supervisor's that does nothing, or after a while stands still. */
const channel = channelToSupervisor()
answerHeartbeat(channel)
channel.send({ kind: READY })
process.on('disconnect', () => process.exit())
if (process.argv[2] === 'spin') {
  openDoing().begin('job that.spins 1')
  setTimeout(() => {
    for (;;);
  }, 100)
}
