using System.Text;
using Xunit;

namespace Pipeline.Storage.Tests.Encryption;

public sealed unsafe class CipherTests
{
    private static readonly Guid Store = new("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0");

    private static byte[] SealedPage(long number, long transaction)
    {
        var page = new byte[PageLayout.PageSize];
        new Random(3).NextBytes(page.AsSpan(PageLayout.HeaderSize));
        fixed (byte* p = page)
        {
            PageLayout.Type(p) = PageType.Leaf;
            PageLayout.Number(p) = number;
            PageLayout.Transaction(p) = transaction;
            PageLayout.Checksum(p) = PageChecksum.Compute(p, number, 1);
        }
        return page;
    }

    [Fact]
    public void A_page_comes_back_as_it_was_and_every_changed_byte_but_the_checksum_is_noticed()
    {
        using var cipher = new StoreCipher(Store, [DataKey.New(7)]);
        var page = SealedPage(5, 9);
        var encrypted = new byte[page.Length];
        var back = new byte[page.Length];
        fixed (
            byte* p = page,
                e = encrypted,
                b = back
        )
        {
            cipher.EncryptPage(p, 5, 1, e);
            Assert.Null(PageChecksum.Check(e, 5, 1));
            Assert.Equal(7, StoreCipher.GenerationOf(e));
            Assert.Null(cipher.DecryptPage(e, 5, 1, b));
            Assert.Equal(page, back);
            PageLayout.Checksum(e) = PageChecksum.Compute(e, 6, 1);
            Assert.Contains("page 5, misplaced", cipher.DecryptPage(e, 6, 1, b), StringComparison.Ordinal);
            for (var at = 4; at < page.Length; at += at < 80 ? 1 : 97)
            {
                encrypted[at] ^= 0x10;
                PageLayout.Checksum(e) = PageChecksum.Compute(e, 5, 1); // As one who alters it on purpose would.
                Assert.True(cipher.DecryptPage(e, 5, 1, b) is not null, $"byte {at}");
                encrypted[at] ^= 0x10;
            }
        }
    }

    [Fact]
    public void Nonces_do_not_repeat_within_or_across_series()
    {
        var seen = new HashSet<string>();
        var nonce = new byte[NonceSource.Length];
        foreach (var source in new[] { new NonceSource(), new NonceSource(), new NonceSource(uint.MaxValue - 100) })
        {
            for (var i = 0; i < 1000; i++)
            {
                source.Next(nonce);
                Assert.True(seen.Add(Convert.ToHexString(nonce)), $"nonce {i}");
            }
        }
    }

    [Fact]
    public void Memory_that_held_pages_comes_back_as_zeros()
    {
        using var pool = new ScratchPool(1 << 20, wipe: true);
        var version = pool.Rent(1, PageVersionKind.New);
        new Span<byte>(PageVersion.Page(version), PageLayout.PageSize).Fill(0xAA);
        pool.Return(version);
        var again = pool.Rent(1, PageVersionKind.New);
        Assert.True(again == version, "the pool gives the same memory again");
        Assert.Equal(
            -1,
            new ReadOnlySpan<byte>(PageVersion.Page(again), PageLayout.PageSize).IndexOfAnyExcept((byte)0)
        );
        pool.Return(again);

        using var plain = new ScratchPool(1 << 20);
        version = plain.Rent(1, PageVersionKind.New);
        new Span<byte>(PageVersion.Page(version), PageLayout.PageSize).Fill(0xAA);
        plain.Return(version);
        Assert.Equal(0xAA, *PageVersion.Page(plain.Rent(1, PageVersionKind.New)));
    }
}
