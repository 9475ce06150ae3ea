using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>Writes actions as commands of <c>bulk_docs</c>.</summary>
internal static class ActionBody
{
    /// <summary>Writes a command.</summary>
    public static void Write(Utf8JsonWriter json, SaveAction action)
    {
        json.WriteStartObject();
        json.WriteString("Id"u8, action.Id);
        switch (action)
        {
            case PatchAction patch:
                json.WriteString("Type"u8, "PATCH"u8);
                json.WriteBoolean("ReturnDocument"u8, true);
                json.WriteStartObject("Patch"u8);
                json.WriteString("Script"u8, patch.Script);
                json.WritePropertyName("Values"u8);
                json.WriteRawValue(patch.Arguments.Span, skipInputValidation: true);
                json.WriteEndObject();
                break;
            case AttachmentPut put:
                json.WriteString("Type"u8, "AttachmentPUT"u8);
                json.WriteString("Name"u8, put.Name);
                json.WriteString("ContentType"u8, put.ContentType);
                break;
            case AttachmentDelete delete:
                json.WriteString("Type"u8, "AttachmentDELETE"u8);
                json.WriteString("Name"u8, delete.Name);
                break;
            case AttachmentCopy copy:
                json.WriteString("Type"u8, "AttachmentCOPY"u8);
                json.WriteString("Name"u8, copy.Name);
                json.WriteString("DestinationId"u8, copy.ToId);
                json.WriteString("DestinationName"u8, copy.ToName);
                break;
            case CompareExchangeChange change:
                json.WriteString("Type"u8, change.Json.IsEmpty ? "CompareExchangeDELETE"u8 : "CompareExchangePUT"u8);
                json.WriteNumber("Index"u8, change.Index);
                if (!change.Json.IsEmpty)
                {
                    json.WritePropertyName("Document"u8);
                    json.WriteRawValue(change.Json.Span, skipInputValidation: true);
                }

                break;
        }

        json.WriteEndObject();
    }
}
