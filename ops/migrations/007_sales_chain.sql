-- What the columns of sales hold where no token on an EVM chain paid.

ALTER TABLE sales
    COMMENT COLUMN IF EXISTS chain_id 'EIP-155; 0: paid on no such chain',
    COMMENT COLUMN IF EXISTS asset 'token contract, or the coin or currency that paid';
