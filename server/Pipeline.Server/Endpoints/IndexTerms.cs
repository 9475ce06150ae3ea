using System.Globalization;
using Microsoft.AspNetCore.Http;
using Pipeline.Indexing;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Answers with the fields of an index and their terms.</summary>
internal static class IndexTerms
{
    private const int MaxTerms = 1_024;

    public static Task TermsAsync(DatabaseRequest request)
    {
        var name = NamedIndexes.Named(request).Name;
        if (request.Text("field") is not { Length: > 0 } fieldName)
            return FieldsAsync(request, name);
        var most = Math.Min(MaxTerms, request.Number("pageSize", MaxTerms));
        List<string> terms = [];
        using (var index = request.Database.Indexes.Open(name))
        {
            if (!index.Reader.TryGetField(fieldName, out var field))
            {
                throw new BadRequestException(
                    $"the index '{name}' has no field '{fieldName}'; it has {string.Join(", ", index.FieldNames)}"
                );
            }

            var after = request.Text("fromValue") ?? "";
            AddNumbers(terms, index.Reader.OpenNumbers(field), after, most);
            var from = System.Text.Encoding.UTF8.GetBytes(
                double.TryParse(after, NumberStyles.Float, CultureInfo.InvariantCulture, out _) ? "" : after
            );
            var cursor = index.Reader.OpenTerms(field);
            // What begins with a byte that no UTF-8 has is the index's own.
            for (
                var any = cursor.Seek(from);
                any && terms.Count < most && cursor.Term is not [0xFF, ..];
                any = cursor.MoveNext()
            )
            {
                if (from.Length == 0 || !cursor.Term.SequenceEqual(from))
                    terms.Add(System.Text.Encoding.UTF8.GetString(cursor.Term));
            }
        }
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Terms");
                foreach (var term in terms)
                    answer.Json.WriteStringValue(term);
                answer.Json.WriteEndArray();
                answer.Json.WriteString("IndexName", name);
                answer.Json.WriteEndObject();
            }
        );
    }

    /// <summary>Without a field, the fields that have terms.</summary>
    private static Task FieldsAsync(DatabaseRequest request, string name)
    {
        List<string> fields;
        using (var index = request.Database.Indexes.Open(name))
            fields = [.. index.FieldNames.Order(StringComparer.Ordinal)];
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Fields");
                foreach (var field in fields)
                    answer.Json.WriteStringValue(field);
                answer.Json.WriteEndArray();
                answer.Json.WriteString("IndexName", name);
                answer.Json.WriteEndObject();
            }
        );
    }

    /// <summary>Numbers come before texts, by size.</summary>
    private static void AddNumbers(List<string> terms, NumericReader? numbers, string after, long most)
    {
        var low = NumericKey.Min;
        if (
            numbers is null
            || (
                after.Length > 0
                && !(
                    double.TryParse(after, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
                    && NumericKey.TryFrom(number, out low)
                )
            )
        )
        {
            return;
        }

        var cursor = numbers.OpenCursor();
        for (var any = cursor.Seek(low); any && terms.Count < most; any = cursor.MoveNext())
        {
            var term = cursor.Key.ToDouble().ToString("R", CultureInfo.InvariantCulture);
            if (term != after && (terms.Count == 0 || terms[^1] != term))
                terms.Add(term);
        }
    }
}
