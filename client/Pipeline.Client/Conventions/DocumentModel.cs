using System.Reflection;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;

namespace Pipeline.Client.Conventions;

/// <summary>How objects of one class are stored: their collection, their id and their JSON.</summary>
internal sealed class DocumentModel
{
    private readonly JsonPropertyInfo? _id;

    private DocumentModel(JsonTypeInfo json, string collection, JsonPropertyInfo? id) =>
        (Json, Collection, Metadata, _id) = (
            json,
            collection,
            Encoding.UTF8.GetBytes(new JsonObject { ["@collection"] = collection }.ToJsonString()),
            id
        );

    /// <summary>The serializer's contract. That of a polymorphic base class writes the discriminator.</summary>
    public JsonTypeInfo Json { get; }

    /// <summary>The collection.</summary>
    public string Collection { get; }

    /// <summary>The metadata of a new document in UTF-8.</summary>
    public byte[] Metadata { get; }

    /// <summary>The JSON name of the id's member; <see langword="null"/> if the class has none.</summary>
    public string? IdName => _id?.Name;

    /// <summary>Reads the conventions of a class.</summary>
    /// <exception cref="DocumentModelException">The id's member is not a text, or a member would not be loaded.</exception>
    public static DocumentModel Of(Type type, DocumentStoreOptions options)
    {
        var json = options.Serializer.GetTypeInfo(Root(type));
        if (options.Json?.TypeInfoResolver is not null)
            LostMembers.Refuse(type, options.Serializer);
        var name = options.FindIdMember?.Invoke(type);
        JsonPropertyInfo? id = null;
        foreach (var property in options.Serializer.GetTypeInfo(type).Properties)
        {
            var member = (property.AttributeProvider as MemberInfo)?.Name ?? property.Name;
            var isMarked = property.AttributeProvider?.IsDefined(typeof(DocumentIdAttribute), inherit: true) == true;
            if (
                isMarked
                || (
                    name is not null
                        ? member == name
                        : id is null && string.Equals(member, "Id", StringComparison.OrdinalIgnoreCase)
                )
            )
            {
                id = property;
            }

            if (isMarked)
                break;
        }

        if (id is not null && id.PropertyType != typeof(string))
        {
            throw new DocumentModelException(
                type,
                $"the id '{id.Name}' of {type.Name} is of type {id.PropertyType.Name}; an id is a text (string)"
            );
        }

        var collection =
            options.FindCollection?.Invoke(type)
            ?? json.Type.GetCustomAttribute<CollectionAttribute>()?.Name
            ?? CollectionNaming.Of(json.Type);
        return new DocumentModel(json, collection, id);
    }

    /// <summary>The id that an object holds.</summary>
    public string? GetId(object entity) => _id?.Get?.Invoke(entity) as string is { Length: > 0 } id ? id : null;

    /// <summary>Writes the id into an object, if it has a member for it that can be written.</summary>
    public void SetId(object entity, string id)
    {
        if (
            _id is { Get: { } get, Set: { } set }
            && !string.Equals(get(entity) as string, id, StringComparison.Ordinal)
        )
        {
            set(entity, id);
        }
    }

    private static Type Root(Type type)
    {
        var root = type;
        for (var at = type; at is not null && at != typeof(object); at = at.BaseType)
        {
            if (at.IsDefined(typeof(System.Text.Json.Serialization.JsonDerivedTypeAttribute), inherit: false))
                root = at;
        }

        return root;
    }
}
