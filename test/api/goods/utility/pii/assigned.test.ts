import { describe, expect, test } from 'vitest'
import { locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'

const foundIn = (text: string): string[] =>
  locatePii(text).map(({ kind, span }) => `${kind} ${text.slice(span.start, span.end)}`)

describe('4.1 rule 10: a field whose name says that its value is secret', () => {
  test.each([
    'X-Api-Key: 9f8e7d6c5b4a',
    'x-api-key=9f8e7d6c5b4a',
    'api_key=9f8e7d6c5b4a',
    'apikey: 9f8e7d6c5b4a',
    'X-Auth-Token: 9f8e7d6c5b4a',
    'access-token: "9f8e7d6c5b4a"',
    '--client-secret=9f8e7d6c5b4a',
    'secret-key = 9f8e7d6c5b4a',
    'password = 9f8e7d6c5b4a',
    'password  =  9f8e7d6c5b4a', //                    columns
    `password${' '.repeat(8)}:${' '.repeat(8)}9f8e7d6c5b4a`,
    'password\t=\t9f8e7d6c5b4a',
    'Authorization: Bearer  9f8e7d6c5b4a',
    ":password => '9f8e7d6c5b4a'", //                  Ruby, PHP, Perl
    `"api_key"=>"9f8e7d6c5b4a"`,
    `'secret'  =>  '9f8e7d6c5b4a'`,
  ])('%s', (text) => {
    expect(foundIn(text)).toEqual(['assignedSecret 9f8e7d6c5b4a'])
  })

  test.each([
    `password${' '.repeat(9)}= 9f8e7d6c5b4a`,
    'password => params[:password]', //  code that takes it from elsewhere
    "password => 'short'",
    'password  =  *****',
    'x-api-key: your-key-here',
    'the password  hunter22 was changed',
    'bearer  announced',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })
})

describe('4.1 rule 10: other spellings of the same field', () => {
  test.each([
    ['{"msg":"{\\"password\\":\\"hunter22\\"}"}', 'hunter22'], // JSON in JSON
    ['<password>hunter22</password>', 'hunter22'],
    ['<db.password>hunter</db.password>', 'hunter'],
    ['mysqldump --password hunter22 db', 'hunter22'],
    ['--db-api-key hunter22', 'hunter22'],
    ["CREATE USER x WITH PASSWORD 'hunter22'", 'hunter22'],
    ['my password is hunter22', 'hunter22'],
    ['GITHUB_API_TOKEN=4f3c2b1a0d9e', '4f3c2b1a0d9e'],
    ['sessionToken: "4f3c2b1a0d9e"', '4f3c2b1a0d9e'],
    ['AccountName=x;AccountKey=eHh4eHh4;', 'eHh4eHh4'],
    ['Authorization: Basic YW5uOmh1bnRlcjIy', 'YW5uOmh1bnRlcjIy'], // RFC 7617: ann:hunter22
    ['authorization: basic OmjDqWxs', 'OmjDqWxs'], //                  :héll
  ])('%s', (text, value) => {
    expect(foundIn(text)).toEqual([`assignedSecret ${value}`])
  })

  test.each([
    '<password>short</password>',
    'password>hunter22 and more',
    'password hunter22', //                 only a blank in between
    '--password option',
    'the password is required',
    'the "password" field',
    'next_token=CAUQAA123',
    'Authorization: Basic YW5uaHVudGVyMjI=', // no colon
    'Authorization: Basic OgECAwQFBgc=', //     does not decode to text
    'basic information',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })
})

describe('4.1 rule 10: code, sentences and what is covered are no values', () => {
  test.each([
    'password: process.env.DB_PASSWORD',
    'api_key = os.environ["API_KEY"]',
    'password = getpass()',
    'secret = secrets.token_hex(32)',
    'interface A { password: string }',
    'Password: minimum 8 characters',
    'The secret: nobody knows it',
    'password=abc***xyz',
    'api_key: sk-...f3Qx',
    'token_secret=abcxxxxxdef',
    'Reset your password: https://example.com/reset',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })

  test.each([
    ['password: hunter', 'hunter'], //          the line ends
    ['password: hunter, user: ann', 'hunter'],
    ['password: hunter user=ann', 'hunter'], // another field
    ['password=hunter then', 'hunter'], //      sentences do not contain this sign
    ['password: "minimum" 8 characters', 'minimum'],
    ['password: hunter2 is mine', 'hunter2'],
    ['password: "process.env"', 'process.env'],
    ['password: myprocess.env', 'myprocess.env'],
    ['password: abc**xyz..q', 'abc**xyz..q'],
    ['password: p4ss!word(1)', 'p4ss!word'],
  ])('%s', (text, value) => {
    expect(foundIn(text)).toEqual([`assignedSecret ${value}`])
  })
})

describe('4.1 rule 10: credentials in a URL need no name', () => {
  test.each([
    ['redis://:p4ssw0rd@cache.example.com:6379/0', ['urlCredentials :p4ssw0rd']],
    ['redis://:@cache.example.com', []],
    ['redis://:password@cache.example.com', []], // a placeholder
    ['redis://p4ssw0rd@cache', []],
  ])('%s', (text, found) => {
    expect(foundIn(text)).toEqual(found)
  })
})

describe('4.1 rule 10: the secret that curl is given', () => {
  test.each([
    'curl -u admin:hunter2pass https://api.example.com/',
    'curl https://api.example.com/?a=1&b=2 -u admin:hunter2pass',
    'curl -sS --user=admin:hunter2pass https://api.example.com/',
    'curl https://api.example.com/ --user "admin:hunter2pass"',
    "curl -X POST \\\n  -u 'admin:hunter2pass' \\\n  https://api.example.com/",
    'curl -u ":hunter2pass" https://api.example.com/',
  ])('%s', (text) => {
    expect(foundIn(text)).toEqual(['assignedSecret hunter2pass'])
  })

  test.each([
    'curl -u "$NAME:$SECRET" https://api.example.com/',
    'curl -u <name>:<secret> https://api.example.com/',
    'curl -u admin:admin https://api.example.com/',
    'docker run -u 1000:1000 image',
    'curl -s https://api.example.com/ && docker run -u 1000:10000 image',
    'curl -s https://api.example.com/ | docker run -i -u 1000:10000 image',
    'curl https://api.example.com/\ndocker run -u 1000:10000 image',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })
})

describe('4.1 rule 10: the secret that another command or a file of logins carries', () => {
  test.each([
    'mysql -u root -phunter2pass shop < dump.sql',
    'mysqldump -h db.example.com -u root -p"hunter2pass" shop',
    "mariadb-dump --user=root \\\n  -p'hunter2pass' shop",
    'mysql -h mysql.example.com -u root -phunter2pass shop',
    'sshpass -p hunter2pass ssh host.example.com',
    "sshpass -p'hunter2pass' scp file host.example.com:",
    '$pw = ConvertTo-SecureString "hunter2pass" -AsPlainText -Force',
    "ConvertTo-SecureString -AsPlainText -Force -String 'hunter2pass'",
    'machine api.example.com login ann password hunter2pass',
    'machine api.example.com\n  login ann\n  password hunter2pass\n',
  ])('%j', (text) => {
    expect(foundIn(text)).toEqual(['assignedSecret hunter2pass'])
  })

  test.each([
    'mysql -u root -p shop',
    'mysql -u root -p"$MYSQL_ROOT_PASSWORD" shop',
    'mysql -u root -p<password> shop',
    'docker run --name mysql -p3306:3306 -d mysql:8',
    'docker run --name mysql -p127.0.0.1:3306:3306 -d mysql:8',
    'mysql shop < dump.sql && mkdir -p/srv/data',
    'systemctl start mysql; mkdir -p/srv/data',
    'sshpass -p "$PASS" ssh host',
    'ConvertTo-SecureString $plain -AsPlainText -Force',
    'ConvertTo-SecureString "$plain" -AsPlainText -Force',
    'machine api.example.com login ann password <password>',
    'The machine that the login page of the password manager runs on',
  ])('none: %j', (text) => {
    expect(foundIn(text)).toEqual([])
  })
})

describe('4.1 rule 10: code that hands a secret on, a type and a path hold none', () => {
  test.each([
    'self.access_token = access_token',
    'userdata.password = password_ptr',
    'username, secret = user_pass',
    'self.username, self.password = credentials',
    'passphrase = _ffi.NULL',
    'self._password = parsed.password',
    'connect(refresh_token=refresh_token, key_password=key_password)',
    'def sign(private_key: _PRIVATE_KEY_TYPES)',
    'def sign(private_key: rsa.RSAPrivateKey)',
    'verify(privateKey: Uint8Array): boolean',
    'const { secretKey: secretKeyA } = keygen()',
    "PWD: '/home/ann/project'",
    'ann ALL=(root) NOPASSWD: /bin/systemctl restart nginx',
    '"secret":"**GDPR COMPLIANT**"',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })

  test.each([
    ['password = correcthorse', 'correcthorse'],
    ['DB_PASSWORD=my_secret_pass', 'my_secret_pass'],
    ['password: correct_horse', 'correct_horse'],
    ['password: monkeywrench', 'monkeywrench'],
    ["password = 'user_pass'", 'user_pass'],
    ['password = user_pass1', 'user_pass1'],
    ['secret: /kX3+9aQz', '/kX3+9aQz'],
  ])('%s', (text, value) => {
    expect(foundIn(text)).toEqual([`assignedSecret ${value}`])
  })
})

describe('4.1 rule 10: the value stands behind a type, an index, or in a field of its own', () => {
  test.each([
    'const API_KEY: &str = "9f8e7d6c5b4a";',
    'const apiKey: string = "9f8e7d6c5b4a"',
    "password: str = '9f8e7d6c5b4a'",
    "config['password'] = '9f8e7d6c5b4a'",
    'os.environ["API_KEY"] = "9f8e7d6c5b4a"',
    'env:\n  - name: DB_PASSWORD\n    value: "9f8e7d6c5b4a"',
    'env:\n  - name: DB_PASSWORD\n    value: 9f8e7d6c5b4a',
    '{"name":"DB_PASSWORD","value":"9f8e7d6c5b4a"}',
    '{\n  "name": "API_KEY",\n  "value": "9f8e7d6c5b4a"\n}',
    '<add key="ApiKey" value="9f8e7d6c5b4a" />',
    'Passwort: 9f8e7d6c5b4a', //          other languages
    'mot de passe : 9f8e7d6c5b4a',
    'contraseña: 9f8e7d6c5b4a',
  ])('%s', (text) => {
    expect(foundIn(text)).toEqual(['assignedSecret 9f8e7d6c5b4a'])
  })

  test.each([
    'apiKey: string = getKey()',
    'password: str = settings.password1',
    'password: string',
    "config['password'] = config.password1",
    "if (config['password'] == '9f8e7d6c5b4a')",
    '- name: DB_PASSWORD\n  valueFrom: db-secret-1',
    '- name: DB_PASSWORD\n  value: $(DB_SECRET1)',
    'the password value: see below',
    'passwordValue = field1value',
    'Passwort: vergessen',
    'Mot de passe : obligatoire',
    'if password == confirm_password:',
    'api_key = data.aws_secretsmanager_secret.key.arn',
    'password: passwordField.value',
    'api_key: REPLACE_ME',
    'private_key: 0xYOUR_PRIVATE_KEY',
    'password: "insert-password-here"',
    'Your password: incorrect',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })
})
