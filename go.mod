module helve

go 1.26
