import fc from 'fast-check'

/** Without this a list of at most 300 has ten at most: whatever shows only later is never met. */
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true })
