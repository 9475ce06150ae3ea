using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>Subscriptions as the server's JSON has them.</summary>
internal static class SubscriptionMessages
{
    /// <summary>A problem by its name. One that this version does not know ends the worker.</summary>
    public static SubscriptionProblem Problem(string name) =>
        Enum.TryParse<SubscriptionProblem>(name, out var problem) ? problem : SubscriptionProblem.Failed;

    /// <summary>The error of a request about a subscription.</summary>
    public static SubscriptionException Error(string subscription, ServerException e) =>
        new(
            subscription,
            e.Status switch
            {
                _ when e.IsDatabaseMissing => SubscriptionProblem.NotFound,
                0 or 408 or 429 or 500 or > 501 => SubscriptionProblem.Unreachable,
                401 or 403 => SubscriptionProblem.AccessDenied,
                404 => SubscriptionProblem.NotFound,
                _ => SubscriptionProblem.Invalid,
            },
            e.Message,
            e
        );

    /// <summary>The error of a store that was disposed.</summary>
    public static SubscriptionException Closed(string subscription, Exception? cause) =>
        new(
            subscription,
            SubscriptionProblem.Closed,
            $"the store of the subscription '{subscription}' is closed",
            cause
        );

    /// <summary>Writes a definition into an object.</summary>
    public static void Write(Utf8JsonWriter json, SubscriptionTerms terms)
    {
        var options = terms.Options;
        json.WriteString("Start"u8, options.SkipsExisting ? "End"u8 : "Beginning"u8);
        json.WriteStartObject("Definition"u8);
        json.WriteString("Name"u8, terms.Name);
        if (options.Query is null)
        {
            json.WriteStartArray("Collections"u8);
            json.WriteStringValue(terms.Collection);
            json.WriteEndArray();
        }

        json.WriteString("Query"u8, options.Query);
        json.WriteString("Filter"u8, options.Filter);
        json.WriteString("Projection"u8, options.Projection);
        json.WriteBoolean("Deletes"u8, options.Deletes);
        json.WriteBoolean("Revisions"u8, options.Revisions);
        json.WriteNumber("MaxAttempts"u8, options.MaxAttempts);
        json.WriteString("RetryDelay"u8, options.RetryDelay.ToString("c"));
        json.WriteString("MaxRetryDelay"u8, options.MaxRetryDelay.ToString("c"));
        json.WriteBoolean("HoldParkedKeys"u8, options.HoldParkedKeys);
        if (options.MaxLag is { } lag)
            Write(json, lag);
        json.WriteEndObject();
    }

    /// <summary>The acknowledgement of a batch.</summary>
    public static byte[] Acknowledgement(IReadOnlyList<Unsettled> except)
    {
        var target = new System.Buffers.ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(target))
        {
            json.WriteStartObject();
            json.WriteString("Type"u8, "Acknowledge"u8);
            json.WriteStartArray("Except"u8);
            foreach (var (index, reason) in except)
            {
                json.WriteStartObject();
                json.WriteNumber("Index"u8, index);
                json.WriteString("Reason"u8, reason);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return target.WrittenSpan.ToArray();
    }

    /// <summary>Reads the items of a batch. They keep the text, and copy nothing of it.</summary>
    public static DeliveredBatch Batch(ReadOnlyMemory<byte> text)
    {
        var (items, includes, resync) = (
            new List<DeliveredItem>(),
            new List<DocumentData>(),
            (SubscriptionResync?)null
        );
        var reader = new Utf8JsonReader(text.Span);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var (isItems, isIncludes, isResync) = (
                reader.ValueTextEquals("Items"u8),
                reader.ValueTextEquals("Includes"u8),
                reader.ValueTextEquals("Resync"u8)
            );
            reader.Read();
            if (isResync && reader.TokenType == JsonTokenType.String)
            {
                resync = Enum.Parse<SubscriptionResync>(reader.GetString()!);
            }
            else if (isItems || isIncludes)
            {
                while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
                {
                    if (isItems)
                        items.Add(Item(ref reader, text));
                    else
                        includes.Add(DocumentData.Parse(Slice(ref reader, text)));
                }
            }
            else
            {
                reader.Skip();
            }
        }

        return new DeliveredBatch(items, includes, resync);
    }

    private static DeliveredItem Item(ref Utf8JsonReader reader, ReadOnlyMemory<byte> text)
    {
        string id = "",
            collection = "",
            vector = "";
        DateTimeOffset modified = default;
        var (attempts, isDeleted, isProjection, isKnown) = (0, false, false, false);
        ReadOnlyMemory<byte> document = default,
            previous = default;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var name = reader.GetString();
            reader.Read();
            switch (name)
            {
                case "Id":
                    id = reader.GetString()!;
                    break;
                case "Collection":
                    collection = reader.GetString()!;
                    break;
                case "ChangeVector":
                    vector = reader.GetString()!;
                    break;
                case "LastModified":
                    modified = reader.GetDateTimeOffset();
                    break;
                case "Attempts":
                    attempts = reader.GetInt32();
                    break;
                case "IsDeleted":
                    isDeleted = reader.GetBoolean();
                    break;
                case "IsProjection":
                    isProjection = reader.GetBoolean();
                    break;
                case "PreviousIsKnown":
                    isKnown = reader.GetBoolean();
                    break;
                case "Document":
                    document = Slice(ref reader, text);
                    break;
                case "Previous":
                    previous = Slice(ref reader, text);
                    break;
                default:
                    reader.Skip();
                    break;
            }
        }

        return new DeliveredItem(id, collection, vector, modified)
        {
            Json = document,
            Previous = previous,
            PreviousIsKnown = isKnown,
            IsDeleted = isDeleted,
            IsProjection = isProjection,
            Attempts = attempts,
        };
    }

    private static ReadOnlyMemory<byte> Slice(ref Utf8JsonReader reader, ReadOnlyMemory<byte> text)
    {
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        return text[start..(int)reader.BytesConsumed];
    }

    private static void Write(Utf8JsonWriter json, SubscriptionLagLimit lag)
    {
        json.WriteStartObject("MaxLag"u8);
        if (lag.Age is { } age)
            json.WriteString("Age"u8, age.ToString("c"));
        if (lag.Changes is { } changes)
            json.WriteNumber("Changes"u8, changes);
        if (lag.Bytes is { } bytes)
            json.WriteNumber("Bytes"u8, bytes);
        json.WriteString(
            "Then"u8,
            lag.Then switch
            {
                SubscriptionLagAction.PauseAndResync => "pause-and-resync"u8,
                SubscriptionLagAction.Drop => "drop"u8,
                _ => "keep"u8,
            }
        );
        json.WriteEndObject();
    }
}
