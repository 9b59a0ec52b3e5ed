-- Which of the histories of this store this is: a restore begins another one.
SELECT history FROM node WHERE id = 1
