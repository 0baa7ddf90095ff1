/** Notes a value; beyond `most` keys the one that was noted longest ago is forgotten. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key) //  so that it is the newest
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value as Key)
}
