using System.Text;
using Pipeline.Indexing.Analysis;
using Pipeline.Indexing.Suggestions;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests.Suggestions;

/// <summary>Suggestions and more-like-this on a stored index.</summary>
public sealed class SuggestionIndexTests : IAsyncLifetime
{
    private static readonly string[] Texts = ["chain chair", "chain", "chang chai", "chain coffee", "chair tea"];

    private readonly StorageEnvironment _environment = StorageEnvironment.Open(new StorageOptions());
    private IndexStore _store = null!;

    public async Task InitializeAsync()
    {
        _store = IndexStore.Open(_environment);
        var field = _store.Field("Name", new FieldOptions { Indexing = TermForm.Search });
        _store.Field("Empty");
        using var batch = _store.NewBatch();
        var buffer = new TokenBuffer();
        for (var i = 0; i < Texts.Length; i++)
        {
            var entry = batch.Begin(Encoding.UTF8.GetBytes($"items/{i}"));
            entry.BeginText(field);
            foreach (var token in Analyzers.Standard.Tokens(Encoding.UTF8.GetBytes(Texts[i]), buffer))
                entry.AddToken(field, token.Term, token.PositionIncrement);
            entry.End();
        }

        await _store.CommitAsync([batch], 1);
    }

    public Task DisposeAsync()
    {
        _store.Dispose();
        _environment.Dispose();
        return Task.CompletedTask;
    }

    [Fact]
    public void Similar_terms_come_with_the_number_of_entries_that_have_them()
    {
        using var reader = _store.OpenReader();
        var suggestions = Suggester.Suggest(reader, "Name", "chaig"u8, new SuggestionOptions(), CancellationToken.None);
        Assert.Equal(
            [new("chain", 0.8f, 3), new("chair", 0.8f, 2), new("chai", 0.8f, 1), new("chang", 0.8f, 1)],
            suggestions.Select(s => s with { Similarity = MathF.Round(s.Similarity, 4) })
        );
    }

    [Theory]
    [InlineData("Empty")]
    [InlineData("Unknown")]
    public void A_field_without_terms_has_no_suggestions(string field)
    {
        using var reader = _store.OpenReader();
        Assert.Empty(Suggester.Suggest(reader, field, "chaig"u8, new SuggestionOptions(), CancellationToken.None));
    }

    [Fact]
    public void The_terms_that_tell_most_are_rare_in_the_index()
    {
        // Of 5 entries chain is in 3, chair in 2, tea in 1, unknown in none: chair 2 (ln 5/3 + 1) = 3.0, chain 2 (ln
        // 5/4 + 1) = 2.4, tea ln 5/2 + 1 = 1.9.
        var like = new MoreLikeThis(new MoreLikeThisOptions { MinimumTermFrequency = 1, MinimumDocumentFrequency = 1 });
        like.Add("Name", Analyzers.Standard, "Chain chain chair chair tea unknown"u8);
        like.Add("Unknown", Analyzers.Standard, "chain chain"u8);
        using var reader = _store.OpenReader();
        Assert.Equal(["chair", "chain", "tea"], like.Pick(reader).Select(t => Encoding.UTF8.GetString(t.Term.Span)));
    }
}
