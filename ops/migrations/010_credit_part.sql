-- A sale names the rail of its first transfer and its whole price, also where store credit paid a part of it: without that
-- part, the money of the credit counts twice. Sales of before it was noted that credit paid alone are known by their rail.

ALTER TABLE sales
    ADD COLUMN IF NOT EXISTS credit_micro Int64 DEFAULT if(rail = 'store_credit', amount_micro, 0) COMMENT 'part of amount_micro that was spent store credit, with its sign: no money came with it; 0 also where a transfer and credit paid together before it was noted' AFTER amount_micro;

ALTER TABLE sales
    COMMENT COLUMN IF EXISTS amount_micro 'millionths of a USDC, negative where the sale was reversed: all that paid for it, credit_micro of it with store credit; amount_micro - credit_micro is what came as money',
    COMMENT COLUMN IF EXISTS rail 'chain and asset of the money, if it came on several of the first transfer; card, store_credit and opening_sale: none came on a chain',
    COMMENT COLUMN IF EXISTS tx 'transaction of the transfer, of the first if there were several';
