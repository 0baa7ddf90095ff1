/** A team: as venue A names it, as venue B names it, its code in tickers. */
export type Team = { a: string; b: string; code: string }

export type League = {
  name: string
  code: string //  venue B series: KX<code>GAME
  sport: string // venue B's words for the league
  unit: string //  what is counted
  spread: number
  total: number
  draws: boolean // false: a game always has a winner, so the two teams' markets are opposites
  teams: readonly Team[]
}

const teams = (text: string): Team[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [a, b, code] = line.trim().split('|')
      return { a: a!, b: b!, code: code! }
    })

export const LEAGUES: readonly League[] = [
  {
    name: 'NBA',
    code: 'NBA',
    sport: 'professional basketball',
    unit: 'points',
    spread: 4.5,
    total: 221.5,
    draws: false,
    teams: teams(`Hawks|Atlanta|ATL
      Celtics|Boston|BOS
      Nets|Brooklyn|BKN
      Hornets|Charlotte|CHA
      Bulls|Chicago|CHI
      Cavaliers|Cleveland|CLE
      Mavericks|Dallas|DAL
      Nuggets|Denver|DEN
      Pistons|Detroit|DET
      Warriors|Golden State|GSW
      Rockets|Houston|HOU
      Pacers|Indiana|IND
      Clippers|Los Angeles C|LAC
      Lakers|Los Angeles L|LAL
      Grizzlies|Memphis|MEM
      Heat|Miami|MIA
      Bucks|Milwaukee|MIL
      Timberwolves|Minnesota|MIN
      Pelicans|New Orleans|NOP
      Knicks|New York|NYK
      Thunder|Oklahoma City|OKC
      Magic|Orlando|ORL
      76ers|Philadelphia|PHI
      Suns|Phoenix|PHX
      Trail Blazers|Portland|POR
      Kings|Sacramento|SAC
      Spurs|San Antonio|SAS
      Raptors|Toronto|TOR
      Jazz|Utah|UTA
      Wizards|Washington|WAS`),
  },
  {
    name: 'NHL',
    code: 'NHL',
    sport: 'professional hockey',
    unit: 'goals',
    spread: 1.5,
    total: 5.5,
    draws: false,
    teams: teams(`Ducks|Anaheim|ANA
      Bruins|Boston|BOS
      Sabres|Buffalo|BUF
      Flames|Calgary|CGY
      Hurricanes|Carolina|CAR
      Blackhawks|Chicago|CHI
      Avalanche|Colorado|COL
      Blue Jackets|Columbus|CBJ
      Stars|Dallas|DAL
      Red Wings|Detroit|DET
      Oilers|Edmonton|EDM
      Panthers|Florida|FLA
      Kings|Los Angeles|LA
      Wild|Minnesota|MIN
      Canadiens|Montreal|MTL
      Predators|Nashville|NSH
      Devils|New Jersey|NJ
      Islanders|New York I|NYI
      Rangers|New York R|NYR
      Senators|Ottawa|OTT
      Flyers|Philadelphia|PHI
      Penguins|Pittsburgh|PIT
      Sharks|San Jose|SJ
      Kraken|Seattle|SEA
      Blues|St. Louis|STL
      Lightning|Tampa Bay|TB
      Maple Leafs|Toronto|TOR
      Mammoth|Utah|UTA
      Canucks|Vancouver|VAN
      Golden Knights|Vegas|VGK
      Capitals|Washington|WSH
      Jets|Winnipeg|WPG`),
  },
  {
    name: 'MLB',
    code: 'MLB',
    sport: 'professional baseball',
    unit: 'runs',
    spread: 1.5,
    total: 8.5,
    draws: false,
    teams: teams(`Arizona Diamondbacks|Arizona|AZ
      Atlanta Braves|Atlanta|ATL
      Baltimore Orioles|Baltimore|BAL
      Boston Red Sox|Boston|BOS
      Chicago Cubs|Chicago C|CHC
      Chicago White Sox|Chicago WS|CWS
      Cincinnati Reds|Cincinnati|CIN
      Cleveland Guardians|Cleveland|CLE
      Colorado Rockies|Colorado|COL
      Detroit Tigers|Detroit|DET
      Houston Astros|Houston|HOU
      Kansas City Royals|Kansas City|KC
      Los Angeles Angels|Los Angeles A|LAA
      Los Angeles Dodgers|Los Angeles D|LAD
      Miami Marlins|Miami|MIA
      Milwaukee Brewers|Milwaukee|MIL
      Minnesota Twins|Minnesota|MIN
      New York Mets|New York M|NYM
      New York Yankees|New York Y|NYY
      Athletics|A's|ATH
      Philadelphia Phillies|Philadelphia|PHI
      Pittsburgh Pirates|Pittsburgh|PIT
      San Diego Padres|San Diego|SD
      Seattle Mariners|Seattle|SEA
      San Francisco Giants|San Francisco|SF
      St. Louis Cardinals|St. Louis|STL
      Tampa Bay Rays|Tampa Bay|TB
      Texas Rangers|Texas|TEX
      Toronto Blue Jays|Toronto|TOR
      Washington Nationals|Washington|WSH`),
  },
  {
    name: 'EPL',
    code: 'EPL',
    sport: 'English Premier League',
    unit: 'goals',
    spread: 1.5,
    total: 2.5,
    draws: true,
    teams: teams(`Arsenal FC|Arsenal|ARS
      Aston Villa FC|Aston Villa|AVL
      AFC Bournemouth|Bournemouth|BOU
      Brentford FC|Brentford|BRE
      Brighton & Hove Albion FC|Brighton|BRI
      Burnley FC|Burnley|BUR
      Chelsea FC|Chelsea|CFC
      Crystal Palace FC|Crystal Palace|CRY
      Everton FC|Everton|EVE
      Fulham FC|Fulham|FUL
      Leeds United FC|Leeds|LEE
      Liverpool FC|Liverpool|LFC
      Manchester City FC|Manchester City|MCI
      Manchester United FC|Manchester Utd|MUN
      Newcastle United FC|Newcastle|NEW
      Nottingham Forest FC|Nottingham|NFO
      Sunderland AFC|Sunderland|SUN
      Tottenham Hotspur FC|Tottenham|TOT
      West Ham United FC|West Ham|WHU
      Wolverhampton Wanderers FC|Wolverhampton|WOL`),
  },
  {
    name: 'LaLiga',
    code: 'LALIGA',
    sport: 'La Liga',
    unit: 'goals',
    spread: 1.5,
    total: 2.5,
    draws: true,
    teams: teams(`Athletic Club|Athletic Bilbao|ATH
      Club Atlético de Madrid|Atletico|ATM
      FC Barcelona|Barcelona|BAR
      Real Betis Balompié|Betis|BET
      RC Celta de Vigo|Celta Vigo|CEL
      RCD Espanyol de Barcelona|Espanyol|ESP
      Getafe CF|Getafe|GET
      Girona FC|Girona|GIR
      RCD Mallorca|Mallorca|MAL
      CA Osasuna|Osasuna|OSA
      Rayo Vallecano de Madrid|Rayo Vallecano|RVC
      Real Madrid CF|Real Madrid|RMA
      Real Sociedad de Fútbol|Real Sociedad|RSO
      Sevilla FC|Sevilla|SEV
      Valencia CF|Valencia|VCF
      Villarreal CF|Villarreal|VIL`),
  },
]
