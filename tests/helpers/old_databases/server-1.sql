BEGIN TRANSACTION;
CREATE TABLE people (
	"key" TEXT NOT NULL, 
	name TEXT NOT NULL, 
	folded TEXT NOT NULL, 
	role TEXT NOT NULL, 
	password TEXT, 
	provider TEXT, 
	subject TEXT, 
	created DOUBLE NOT NULL, 
	PRIMARY KEY ("key"), 
	UNIQUE (provider, subject), 
	UNIQUE (folded)
);
INSERT INTO "people" VALUES('14c423b5de91272ab3549e568fc0aa69','Ada ü','ada ü','editor',NULL,NULL,NULL,1.79564241359708642959e+09);
INSERT INTO "people" VALUES('b040f045f3dface518395bb559041670','ben','ben','editor',NULL,NULL,NULL,1.79564241360614824296e+09);
CREATE TABLE shares (
	id TEXT NOT NULL, 
	token_hash TEXT, 
	owner TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	to_kind TEXT NOT NULL, 
	to_person TEXT, 
	created DOUBLE NOT NULL, 
	expires DOUBLE, 
	revoked DOUBLE, 
	opened INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (token_hash)
);
INSERT INTO "shares" VALUES('EDxIPcEvv4CpkW6I',NULL,'14c423b5de91272ab3549e568fc0aa69','data','a data set','person','b040f045f3dface518395bb559041670',1.79564241361258506782e+09,NULL,NULL,0);
INSERT INTO "shares" VALUES('SXQtA1xu9dddtClu','b76956082e282f584a692fcc9b682bc9a272f7ffcbe0aeb85d7deef2fa89f2c5','14c423b5de91272ab3549e568fc0aa69','data','another','link',NULL,1795642413.61926,1827178413.61926,NULL,0);
CREATE TABLE sign_ins (
	id_hash TEXT NOT NULL, 
	person TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	used DOUBLE NOT NULL, 
	agent TEXT NOT NULL, 
	PRIMARY KEY (id_hash), 
	FOREIGN KEY(person) REFERENCES people ("key") ON DELETE CASCADE
);
INSERT INTO "sign_ins" VALUES('0000000000000000000000000000000000000000000000000000000000000000','b040f045f3dface518395bb559041670',1.0,2.0,'Firefox');
CREATE TABLE workbench_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT workbench_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "workbench_version" VALUES('1');
CREATE INDEX ix_sign_ins_person ON sign_ins (person);
CREATE INDEX ix_shares_to_person ON shares (to_person);
CREATE INDEX ix_shares_owner ON shares (owner);
COMMIT;
PRAGMA user_version=0;
