/**
 * Invented people, films and companies, so that no statement about a market names a real one. Each
 * function is one to one on its range: two subjects never share a name. Neighbouring numbers get names
 * far apart: each range is walked in strides that share no factor with its length.
 */
const FIRST =
  'Ada Alan Amara Anders Anya Arlo Astrid Basil Beatrix Bruno Carla Cedric Celia Cyrus Dahlia Darius Della Dorian Edda Elias Elodie Emeric Esme Fabian Faye Felix Freya Gareth Gemma Gideon Greta Hector Hilda Hugo Ida Ignacio Imogen Ivor Jasper Jolene Jonas Juno Kaspar Keira Lars Leona Linus Lorna Magnus Maren Milo Mina Nadia Nestor Nora Odin Olive Oscar Petra Quentin Ramona Rufus Sabine Silas'.split(
    ' ',
  )
const LAST =
  'Abernathy Aldred Ashcombe Averill Bancroft Bellweather Birchwood Blackwell Bramwell Brightmore Calloway Carrow Castellan Chadwick Claremont Corwin Crandall Dalloway Danforth Delacroix Dunmore Eastlake Ellsworth Everhart Fairbanks Falconer Farnsworth Fenwick Fielding Fosterling Gainsborough Garrick Glenhaven Goddard Grantham Greywood Halloran Hargrove Hartwell Hawthorne Hollister Huxley Ingersoll Ironside Jardine Jessop Kavanagh Kensington Kilbride Kingsley Lambourne Langford Larkspur Lockhart Lovelace Macready Malbrook Marchetti Merriweather Middleton Montague Mortensen Nakamoto Nethercott Northcote Oakhurst Ormsby Osterman Palisade Pemberton Penhallow Pickering Prescott Quillon Radcliffe Ravensworth Redgrave Renwick Rockwell Rosewater Rutherford Sandringham Satterfield Seaborn Selwyn Shackleton Silverman Sinclair Somerset Stanhope Sterling Stonebridge Sutherland Swansea Tamworth Tennant Thackeray Thornbury Tolliver Trelawney Umberland Underhill Vanterpool Vickery Wainwright Wakefield Waverly Wellington Westbrook Wetherby Whitlock Wickham Windermere Winslow Woodville Wolcott Wyndham Yarborough Yardley Yellowlees Youngblood Zabriskie Zellweger Ziegler Addington Barrington Cavendish'.split(
    ' ',
  )

export type Person = { name: string; last: string; code: string }

export const PEOPLE = FIRST.length * LAST.length

/** @param k at least 0; equal modulo PEOPLE means the same person. */
export function person(k: number): Person {
  const at = ((k % PEOPLE) * 5_167) % PEOPLE
  const last = LAST[at % LAST.length]!
  const first = FIRST[Math.floor(at / LAST.length)]!
  const code = `${first[0]}${last.slice(0, 3)}${at.toString(36)}`.toUpperCase()
  return { name: `${first} ${last}`, last, code }
}

const ADJECTIVES =
  'Amber Ancient Ashen Blazing Broken Burning Crimson Crooked Crystal Distant Drowned Electric Emerald Endless Fallen Feral Final First Forgotten Frozen Gilded Golden Hidden Hollow Indigo Infinite Iron Ivory Last Lonely Lost Lucid Marble Midnight Neon Northern Obsidian Paper Phantom Quiet Radiant Restless Rising Scarlet Second Secret Shattered Silent Silver Sleeping Southern Spiral Stolen Sunken Tender Thunder Twisted Velvet Wandering Wild'.split(
    ' ',
  )
const NOUNS =
  'Archive Arrow Atlas Aurora Avenue Ballad Beacon Bridge Cadence Canyon Carnival Cathedral Chorus Cipher Circus Compass Coral Covenant Crown Current Desert Dominion Dragon Echo Ember Empire Engine Falcon Fable Fortress Garden Ghost Glacier Harbor Harvest Horizon Hotel Hunter Island Jungle Kingdom Labyrinth Lagoon Lantern Legacy Lighthouse Machine Meridian Mirror Monsoon Mosaic Nomad Oracle Orchard Outpost Paradox Passage Pilgrim Prairie Prophet Quarry Railway Ransom Raven Reckoning Republic Reverie River Sanctuary Season Sentinel Shore Signal Sparrow Station Summit Symphony Tempest Theory Tide Tower Valley Vigil Voyage Winter Witness'.split(
    ' ',
  )

export const FILMS = ADJECTIVES.length * NOUNS.length

export type Film = { title: string; code: string }

export function film(k: number): Film {
  const at = ((k % FILMS) * 1_993) % FILMS
  const noun = NOUNS[at % NOUNS.length]!
  const adjective = ADJECTIVES[Math.floor(at / NOUNS.length)]!
  return {
    title: `The ${adjective} ${noun}`,
    code: `${adjective.slice(0, 3)}${noun.slice(0, 3)}${at.toString(36)}`.toUpperCase(),
  }
}

const STEMS =
  'Acu Aero Alto Axio Bio Boro Calx Cera Cirro Cobal Cryo Delto Dyna Eco Ergo Exo Fero Flux Gala Geno Helio Hydra Ignia Juno Kine Lumo Macro Meta Myco Nano Neuro Nova Octo Omni Opti Paleo Penta Photo Poly Quanta Radi Rota Saga Sola Syn Tecto Terra Thermo Ultra Vanta Vero Vivo Xeno Zeta'.split(
    ' ',
  )
const ENDINGS =
  'base bridge byte cast core craft dyne fab field flow forge form gen grid labs lane link loop mark mesh metric mind nex node path pay pulse rail ray scale sense shift soft span spark stack star sys tech tone trix vault ware wave works zone'.split(
    ' ',
  )

export const COMPANIES = STEMS.length * ENDINGS.length

export type Company = { name: string; code: string }

export function company(k: number): Company {
  const at = ((k % COMPANIES) * 1_013) % COMPANIES
  const name = `${STEMS[Math.floor(at / ENDINGS.length)]!}${ENDINGS[at % ENDINGS.length]!}`
  return { name, code: name.toUpperCase() }
}

/** The k-th unordered pair of n things, each pair once for k < n·floor((n-1)/2); near ks share few members. */
export function pairing(k: number, n: number): [number, number] {
  const step = 1 + Math.floor(k / n)
  const first = k % n
  return [first, (first + step) % n]
}
