/* false.c - fails. */
int main(void)
{
        return 1;
}
