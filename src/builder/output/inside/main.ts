import { packJob } from './pack-job.ts'

/** Started in the workspace with the folder of results as its only argument. */
const [, , folder = ''] = process.argv
await packJob(process.cwd(), folder)
