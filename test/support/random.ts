import fc from 'fast-check'

/** Without this a list of at most 300 gets ten elements at most, and faults that need a longer one are never found. */
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true })
