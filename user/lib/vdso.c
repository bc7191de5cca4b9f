/* vdso.c - finds functions in the image that the kernel maps into every program: by name, in its
 * dynamic symbols (System V ABI, "Dynamic Linking"). The image is linked at its address. */
#include "vdso.h"

#define PT_DYNAMIC 2
#define DT_HASH 4
#define DT_STRTAB 5
#define DT_SYMTAB 6
#define DYNAMIC_TAGS 7
#define PHDRS_AT (WIDE ? 32 : 28) /* e_phoff; e_phnum and following sizes, by width */
#define PHNUM_AT (WIDE ? 56 : 44)
#define PHDR_SIZE (WIDE ? 56 : 32)
#define PHDR_ADDRESS (WIDE ? 16 : 8)
#define SYMBOL_SIZE (WIDE ? 24 : 16)
#define SYMBOL_VALUE (WIDE ? 8 : 4)

uintptr_t auxiliary(char **environment, uintptr_t key)
{
        while (*environment)
                environment++;
        const uintptr_t *entry = (const uintptr_t *)(environment + 1);
        while (*entry && *entry != key)
                entry += 2;
        return *entry ? entry[1] : 0;
}

static uintptr_t word_at(const char *at)
{
        uintptr_t word;
        memcpy(&word, at, sizeof word);
        return word;
}

const void *vdso_function(char **environment, const char *name)
{
        const char *image = (const char *)auxiliary(environment, AT_SYSINFO_EHDR);
        uintptr_t tags[DYNAMIC_TAGS] = {0};
        if (!image)
                return NULL;
        const char *header = image + word_at(image + PHDRS_AT);
        for (unsigned left = *(const uint16_t *)(image + PHNUM_AT); left--; header += PHDR_SIZE) {
                if (*(const uint32_t *)header != PT_DYNAMIC)
                        continue;
                const uintptr_t *d = (const uintptr_t *)word_at(header + PHDR_ADDRESS);
                for (; *d; d += 2)
                        if (*d < DYNAMIC_TAGS)
                                tags[*d] = d[1];
        }
        if (!tags[DT_HASH])
                return NULL;
        const char *symbol = (const char *)tags[DT_SYMTAB];
        for (uint32_t left = ((const uint32_t *)tags[DT_HASH])[1]; left--; symbol += SYMBOL_SIZE)
                if (!strcmp((const char *)tags[DT_STRTAB] + *(const uint32_t *)symbol, name))
                        return (const void *)word_at(symbol + SYMBOL_VALUE);
        return NULL;
}

static int (*linked)(struct timeval *, void *);

void vdso_link(char **environment)
{
        linked = (int (*)(struct timeval *, void *))vdso_function(environment,
                                                                  "__vdso_gettimeofday");
}

__attribute__((weak)) int gettimeofday(struct timeval *to, void *zone)
{
        return linked ? linked(to, zone) : (int)system_call(NUMBER_gettimeofday, to, zone);
}
