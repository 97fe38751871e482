CREATE FUNCTION public.attachments_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM removals WHERE removals.audit = OLD.audit) THEN RAISE EXCEPTION 'what was saved is deleted only after it was removed'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.attachments_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'what was saved is never changed: save a new version'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.audits_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM removals WHERE removals.audit = OLD.key) THEN RAISE EXCEPTION 'what was saved is deleted only after it was removed'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.audits_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'what was saved is never changed: save a new version'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.cards_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM removals WHERE removals.audit = OLD.audit) THEN RAISE EXCEPTION 'what was saved is deleted only after it was removed'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.cards_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'what was saved is never changed: save a new version'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.contents_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'what was saved is never changed: save a new version'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.figures_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM removals WHERE removals.audit = OLD.audit) THEN RAISE EXCEPTION 'what was saved is deleted only after it was removed'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.figures_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'what was saved is never changed: save a new version'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.plan_uses_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'plans and series are kept'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.plan_uses_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'what was saved is never changed: save a new version'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.plans_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'plans and series are kept'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.plans_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'what was saved is never changed: save a new version'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.series_audits_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'plans and series are kept'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.series_audits_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF NOT (OLD."series" = NEW."series" AND OLD."position" = NEW."position" AND OLD."data_sha256" = NEW."data_sha256" AND OLD.confidence = NEW.confidence AND OLD.audit IS NULL) THEN RAISE EXCEPTION 'a position of a series is given once'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.series_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'plans and series are kept'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.series_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF true THEN RAISE EXCEPTION 'what was saved is never changed: save a new version'; END IF; RETURN NEW; END $$;
CREATE TABLE public.attachments (
    audit text NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    data text NOT NULL,
    sha256 text NOT NULL
);
CREATE TABLE public.audits (
    "position" bigint NOT NULL,
    key text NOT NULL,
    sha256 text NOT NULL,
    name text NOT NULL,
    note text NOT NULL,
    page text NOT NULL,
    title text NOT NULL,
    made text NOT NULL,
    saved text NOT NULL,
    by text NOT NULL,
    previous text NOT NULL,
    first text NOT NULL,
    series text NOT NULL,
    version integer NOT NULL,
    series_position integer NOT NULL,
    about text NOT NULL,
    words text NOT NULL
);
CREATE SEQUENCE public.audits_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audits_position_seq OWNED BY public.audits."position";
CREATE TABLE public.cards (
    audit text NOT NULL,
    card text NOT NULL
);
CREATE TABLE public.contents (
    sha256 text NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.figures (
    audit text NOT NULL,
    sha256 text NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.plan_uses (
    "position" bigint NOT NULL,
    plan text NOT NULL,
    data_sha256 text NOT NULL,
    used text NOT NULL,
    unseen boolean NOT NULL
);
CREATE SEQUENCE public.plan_uses_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.plan_uses_position_seq OWNED BY public.plan_uses."position";
CREATE TABLE public.plans (
    "position" bigint NOT NULL,
    key text NOT NULL,
    sha256 text NOT NULL,
    created text NOT NULL,
    plan text NOT NULL
);
CREATE SEQUENCE public.plans_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.plans_position_seq OWNED BY public.plans."position";
CREATE TABLE public.removals (
    audit text NOT NULL,
    removed text NOT NULL
);
CREATE TABLE public.series (
    name text NOT NULL,
    confidence double precision NOT NULL,
    created text NOT NULL
);
CREATE TABLE public.series_audits (
    series text NOT NULL,
    "position" integer NOT NULL,
    data_sha256 text NOT NULL,
    confidence double precision NOT NULL,
    audit text,
    reserved_at text NOT NULL
);
CREATE TABLE public.workbench_version (
    version_num character varying(32) NOT NULL
);
ALTER TABLE ONLY public.audits ALTER COLUMN "position" SET DEFAULT nextval('public.audits_position_seq'::regclass);
ALTER TABLE ONLY public.plan_uses ALTER COLUMN "position" SET DEFAULT nextval('public.plan_uses_position_seq'::regclass);
ALTER TABLE ONLY public.plans ALTER COLUMN "position" SET DEFAULT nextval('public.plans_position_seq'::regclass);
ALTER TABLE ONLY public.attachments
    ADD CONSTRAINT attachments_pkey PRIMARY KEY (audit, number);
ALTER TABLE ONLY public.audits
    ADD CONSTRAINT audits_key_key UNIQUE (key);
ALTER TABLE ONLY public.audits
    ADD CONSTRAINT audits_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.cards
    ADD CONSTRAINT cards_pkey PRIMARY KEY (audit);
ALTER TABLE ONLY public.contents
    ADD CONSTRAINT contents_pkey PRIMARY KEY (sha256);
ALTER TABLE ONLY public.figures
    ADD CONSTRAINT figures_pkey PRIMARY KEY (audit);
ALTER TABLE ONLY public.plan_uses
    ADD CONSTRAINT plan_uses_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.plan_uses
    ADD CONSTRAINT plan_uses_plan_data_sha256_key UNIQUE (plan, data_sha256);
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_key_key UNIQUE (key);
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_sha256_key UNIQUE (sha256);
ALTER TABLE ONLY public.removals
    ADD CONSTRAINT removals_pkey PRIMARY KEY (audit);
ALTER TABLE ONLY public.series_audits
    ADD CONSTRAINT series_audits_pkey PRIMARY KEY (series, "position");
ALTER TABLE ONLY public.series_audits
    ADD CONSTRAINT series_audits_series_data_sha256_key UNIQUE (series, data_sha256);
ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.workbench_version
    ADD CONSTRAINT workbench_version_pkc PRIMARY KEY (version_num);
CREATE INDEX audits_versions ON public.audits USING btree (first, "position");
CREATE INDEX ix_attachments_sha256 ON public.attachments USING btree (sha256);
CREATE INDEX ix_audits_sha256 ON public.audits USING btree (sha256);
CREATE TRIGGER attachments_delete BEFORE DELETE ON public.attachments FOR EACH ROW EXECUTE FUNCTION public.attachments_delete();
CREATE TRIGGER attachments_truncate BEFORE TRUNCATE ON public.attachments FOR EACH STATEMENT EXECUTE FUNCTION public.attachments_update();
CREATE TRIGGER attachments_update BEFORE UPDATE ON public.attachments FOR EACH ROW EXECUTE FUNCTION public.attachments_update();
CREATE TRIGGER audits_delete BEFORE DELETE ON public.audits FOR EACH ROW EXECUTE FUNCTION public.audits_delete();
CREATE TRIGGER audits_truncate BEFORE TRUNCATE ON public.audits FOR EACH STATEMENT EXECUTE FUNCTION public.audits_update();
CREATE TRIGGER audits_update BEFORE UPDATE ON public.audits FOR EACH ROW EXECUTE FUNCTION public.audits_update();
CREATE TRIGGER cards_delete BEFORE DELETE ON public.cards FOR EACH ROW EXECUTE FUNCTION public.cards_delete();
CREATE TRIGGER cards_truncate BEFORE TRUNCATE ON public.cards FOR EACH STATEMENT EXECUTE FUNCTION public.cards_update();
CREATE TRIGGER cards_update BEFORE UPDATE ON public.cards FOR EACH ROW EXECUTE FUNCTION public.cards_update();
CREATE TRIGGER contents_truncate BEFORE TRUNCATE ON public.contents FOR EACH STATEMENT EXECUTE FUNCTION public.contents_update();
CREATE TRIGGER contents_update BEFORE UPDATE ON public.contents FOR EACH ROW EXECUTE FUNCTION public.contents_update();
CREATE TRIGGER figures_delete BEFORE DELETE ON public.figures FOR EACH ROW EXECUTE FUNCTION public.figures_delete();
CREATE TRIGGER figures_truncate BEFORE TRUNCATE ON public.figures FOR EACH STATEMENT EXECUTE FUNCTION public.figures_update();
CREATE TRIGGER figures_update BEFORE UPDATE ON public.figures FOR EACH ROW EXECUTE FUNCTION public.figures_update();
CREATE TRIGGER plan_uses_delete BEFORE DELETE ON public.plan_uses FOR EACH ROW EXECUTE FUNCTION public.plan_uses_delete();
CREATE TRIGGER plan_uses_truncate BEFORE TRUNCATE ON public.plan_uses FOR EACH STATEMENT EXECUTE FUNCTION public.plan_uses_update();
CREATE TRIGGER plan_uses_update BEFORE UPDATE ON public.plan_uses FOR EACH ROW EXECUTE FUNCTION public.plan_uses_update();
CREATE TRIGGER plans_delete BEFORE DELETE ON public.plans FOR EACH ROW EXECUTE FUNCTION public.plans_delete();
CREATE TRIGGER plans_truncate BEFORE TRUNCATE ON public.plans FOR EACH STATEMENT EXECUTE FUNCTION public.plans_update();
CREATE TRIGGER plans_update BEFORE UPDATE ON public.plans FOR EACH ROW EXECUTE FUNCTION public.plans_update();
CREATE TRIGGER series_audits_delete BEFORE DELETE ON public.series_audits FOR EACH ROW EXECUTE FUNCTION public.series_audits_delete();
CREATE TRIGGER series_audits_update BEFORE UPDATE ON public.series_audits FOR EACH ROW EXECUTE FUNCTION public.series_audits_update();
CREATE TRIGGER series_delete BEFORE DELETE ON public.series FOR EACH ROW EXECUTE FUNCTION public.series_delete();
CREATE TRIGGER series_truncate BEFORE TRUNCATE ON public.series FOR EACH STATEMENT EXECUTE FUNCTION public.series_update();
CREATE TRIGGER series_update BEFORE UPDATE ON public.series FOR EACH ROW EXECUTE FUNCTION public.series_update();
ALTER TABLE ONLY public.attachments
    ADD CONSTRAINT attachments_audit_fkey FOREIGN KEY (audit) REFERENCES public.audits(key);
ALTER TABLE ONLY public.attachments
    ADD CONSTRAINT attachments_sha256_fkey FOREIGN KEY (sha256) REFERENCES public.contents(sha256);
ALTER TABLE ONLY public.cards
    ADD CONSTRAINT cards_audit_fkey FOREIGN KEY (audit) REFERENCES public.audits(key);
ALTER TABLE ONLY public.figures
    ADD CONSTRAINT figures_audit_fkey FOREIGN KEY (audit) REFERENCES public.audits(key);
ALTER TABLE ONLY public.plan_uses
    ADD CONSTRAINT plan_uses_plan_fkey FOREIGN KEY (plan) REFERENCES public.plans(key);
ALTER TABLE ONLY public.series_audits
    ADD CONSTRAINT series_audits_series_fkey FOREIGN KEY (series) REFERENCES public.series(name);
INSERT INTO public.workbench_version VALUES ('1');
