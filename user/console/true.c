/* true.c - succeeds. */
int main(void)
{
        return 0;
}
