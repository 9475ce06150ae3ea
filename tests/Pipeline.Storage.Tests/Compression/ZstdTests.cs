using System.Text;
using Xunit;

namespace Pipeline.Storage.Tests.Compression;

public sealed class ZstdTests
{
    [Fact]
    public void Any_bytes_come_back_as_they_were()
    {
        var random = new Random(5);
        for (var round = 0; round < 200; round++)
        {
            var source = Text(random, random.Next(0, 50_000));
            var compressed = new byte[Zstd.MaxCompressedLength(source.Length)];
            Assert.True(Zstd.TryCompress(source, compressed, out var length, level: random.Next(-3, 6)));
            var output = new byte[source.Length];
            Assert.True(Zstd.TryDecompress(compressed.AsSpan(0, length), output, out var written));
            Assert.Equal(source.Length, written);
            Assert.Equal(source, output);
        }
    }

    [Fact]
    public void What_does_not_fit_is_told_and_the_context_goes_on()
    {
        var noise = new byte[10_000];
        new Random(1).NextBytes(noise);
        var destination = new byte[noise.Length];
        Assert.False(Zstd.TryCompress(noise, destination.AsSpan(0, 9_000), out _));
        Assert.True(Zstd.TryCompress(new byte[10_000], destination, out var length, level: 5));
        Assert.True(length < 100);
        Assert.False(Zstd.TryDecompress(destination.AsSpan(0, length), new byte[9_999], out _));
        Assert.True(Zstd.TryDecompress(destination.AsSpan(0, length), new byte[10_000], out _));
    }

    [Fact]
    public void Damage_and_bytes_of_another_kind_are_refused()
    {
        var source = Text(new Random(2), 4_000);
        var compressed = new byte[Zstd.MaxCompressedLength(source.Length)];
        Assert.True(Zstd.TryCompress(source, compressed, out var length));
        Assert.False(Zstd.TryDecompress(compressed.AsSpan(0, length - 1), new byte[4_000], out _));
        Assert.False(Zstd.TryDecompress(source, new byte[4_000], out _));
    }

    [Fact]
    public void A_dictionary_makes_small_texts_smaller_and_only_it_brings_them_back()
    {
        var random = new Random(3);
        var samples = Enumerable.Range(0, 2_000).Select(i => Document(random, i)).ToList();
        var trained = ZstdDictionary.Train(
            samples.SelectMany(s => s).ToArray(),
            [.. samples.Select(s => s.Length)],
            8_192
        );
        Assert.NotNull(trained);
        var dictionary = new ZstdDictionary(trained, level: 3);
        var other = new ZstdDictionary(Text(random, 4_000));
        var compressed = new byte[1_000];
        var document = Document(random, 77_777);
        Assert.True(Zstd.TryCompress(document, compressed, out var with, dictionary));
        Assert.True(
            Zstd.TryDecompress(compressed.AsSpan(0, with), new byte[document.Length], out var written, dictionary)
        );
        Assert.Equal(document.Length, written);
        var output = new byte[document.Length];
        Assert.False(
            Zstd.TryDecompress(compressed.AsSpan(0, with), output, out _, other)
                && output.AsSpan().SequenceEqual(document)
        );
        Assert.True(Zstd.TryCompress(document, compressed, out var without));
        Assert.True(with * 2 < without, $"{document.Length} bytes, {without} without the dictionary, {with} with it");
        Assert.True(Zstd.TryDecompress(compressed.AsSpan(0, without), output, out _));
        Assert.Equal(document, output);
    }

    [Fact]
    public void Too_few_samples_give_no_dictionary()
    {
        Assert.Null(ZstdDictionary.Train("abc"u8, [1, 2], 4_096));
        Assert.Throws<ArgumentException>(() => ZstdDictionary.Train("abc"u8, [1, 3], 4_096));
        Assert.Throws<ArgumentException>(() => new ZstdDictionary([]));
    }

    [Fact]
    public void Calls_allocate_nothing()
    {
        var source = Text(new Random(4), 3_000);
        var compressed = new byte[Zstd.MaxCompressedLength(source.Length)];
        var output = new byte[source.Length];
        Zstd.TryCompress(source, compressed, out var length);
        Zstd.TryDecompress(compressed.AsSpan(0, length), output, out _);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 100; i++)
        {
            Zstd.TryCompress(source, compressed, out length);
            Zstd.TryDecompress(compressed.AsSpan(0, length), output, out _);
        }
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    private static byte[] Text(Random random, int length)
    {
        var text = new byte[length];
        for (var i = 0; i < length; i++)
            text[i] = (byte)('a' + (random.Next(8) * random.Next(3)));
        return text;
    }

    private static byte[] Document(Random random, int number) =>
        Encoding.UTF8.GetBytes(
            $$"""{ "Company":"companies/{{random.Next(100)}}-A","OrderedAt":"2026-0{{random.Next(1, 9)}}-01T00:00:00.0000000","Freight":{{random.Next(100)}}.{{number}},"ShipTo":{"City":"City {{random.Next(50)}}","Country":"Finland"} }"""
        );
}
