import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'
import { keepHeapTight, keepHeapTightBesideAnswers } from '../../../ops/heap.ts'

/** Prints whether V8 may make objects old from the start. Its flags have one tag, which only a change of one changes. */
if (process.argv.includes('answers')) keepHeapTightBesideAnswers()
else keepHeapTight()
const before = cachedDataVersionTag()
setFlagsFromString('--allocation-site-pretenuring')
process.stdout.write(JSON.stringify(cachedDataVersionTag() === before))
process.exit()
