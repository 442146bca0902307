import { kindOf } from '#adapters/ipc/channel.ts'
import { channelToSupervisor } from '#src/process/supervisor/channel/channel.ts'
import { openActivity } from '#src/process/supervisor/child/activity.ts'
import { DRAIN, READY } from '#src/process/supervisor/child/child.ts'
import { answerHeartbeat } from '#src/process/supervisor/child/heartbeat.ts'

/** A process of the supervisor's that does nothing, ends when it is asked to, or after a while stands still. */
const channel = channelToSupervisor()
answerHeartbeat(channel)
channel.send({ kind: READY })
process.on('disconnect', () => process.exit())
if (process.argv[2] === 'drain') channel.onMessage((message) => kindOf(message) === DRAIN && process.exit())
if (process.argv[2] === 'spin') {
  openActivity().begin('job that.spins 1')
  setTimeout(() => {
    for (;;);
  }, 100)
}
